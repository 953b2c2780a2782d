# Coefficients, standard errors and deviances of nnet's multinom, for test_multinom.py.
# Run from this folder:  Rscript multinom.R > multinom.csv
# multinom minimises by BFGS and stops where differences of the deviance no longer show: half of the digits. "polished"
# are its coefficients after two Newton steps with its own Hessian, which finish the other half.
library(nnet)
put <- function(set, what, class, value) {
  cat(sprintf("%s,%s,%d,%d,%.17g\n", set, what, class, seq_along(value) - 1, value), sep = "")   # term 0 is the intercept
}
cat(sprintf("# %s, nnet %s\n", R.version.string, packageVersion("nnet")))
cat("set,what,class,term,value\n")

report <- function(set, X, g, w) {
  fit <- multinom(g ~ X, weights = w, maxit = 100000, abstol = 0, reltol = 1e-16, trace = FALSE, Hess = TRUE)
  table <- summary(fit)
  for (class in seq_len(nrow(table$coefficients))) {
    put(set, "coefficient", class, table$coefficients[class, ])
    put(set, "error", class, table$standard.errors[class, ])
  }
  B <- coef(fit)
  Z <- cbind(1, X)
  for (step in 1:2) {
    eta <- cbind(0, Z %*% t(B))
    P <- exp(eta - apply(eta, 1, max))
    P <- P / rowSums(P)
    slope <- t(w * (outer(as.integer(g), seq_len(ncol(P)), "==") - P)[, -1]) %*% Z
    B <- B + matrix(solve(fit$Hessian, as.vector(t(slope))), nrow(B), byrow = TRUE)   # classes in turn, terms within
  }
  for (class in seq_len(nrow(B))) put(set, "polished", class, B[class, ])
  put(set, "deviance", 0, fit$deviance)
}

i <- 1:240
X <- outer(i, 1:4, function(i, j) sin(1.7 * i * j) + 0.3 * cos(i * i))
score <- X[, 1] - 2 * X[, 3] + 1.5 * cos(2.3 * i * i)
g <- factor((score > -0.8) + (score > 0.8))
report("waves", X, g, rep(1, 240))
report("weighted", X, g, 1 + i %% 3)
report("four", X[, 1:2], factor((i + (X[, 1] > 0)) %% 4), rep(1, 240))
