# Coefficients of glmnet with penalty.factor, lower.limits and upper.limits, for test_separable.py.
# Run from this folder:  Rscript separable.R > separable.csv
# glmnet minimises RSS / (2 sum(w)) or -loglik / sum(w), plus lambda sum_j f_j (a |b_j| + (1 - a) b_j^2 / 2). It rescales
# the factors to sum to p: the strength is divided by that scale here, so that factors count as written.
library(glmnet)
put <- function(family, case, ratio, value) {
  term <- seq_along(value) - 1   # 0 is the intercept
  cat(sprintf("%s,%s,%s,%d,%.17g\n", family, case, ratio, term, value), sep = "")
}
cat(sprintf("# %s, glmnet %s\n", R.version.string, packageVersion("glmnet")))
cat("family,case,ratio,term,value\n")

i <- 1:60
X <- outer(i, 1:8, function(i, j) sin(1.7 * i * j) + 0.3 * cos(i * i))
score <- X[, 1] - 2 * X[, 3] + cos(2.3 * i * i)
cases <- list(
  factors = list(f = c(1, 2, 0.5, 1, 3, 1, 0.25, 1), low = -Inf, high = Inf),
  free = list(f = c(1, 0, 1, 1, 0, 1, 1, 1), low = -Inf, high = Inf),
  bounds = list(f = rep(1, 8), low = -0.4, high = 0.3),
  all = list(f = c(0, 2, 0.5, 1, 3, 0, 0.25, 1), low = c(0, -0.1, -1, 0, -0.2, -Inf, -Inf, 0),
             high = c(0.5, Inf, 0.5, 0.2, 0.1, Inf, 0.05, Inf)))
for (name in names(cases)) for (ratio in c(1, 0.5)) {
  case <- cases[[name]]
  strength <- 0.02 * sum(case$f) / 8
  for (family in c("gaussian", "binomial")) {
    # glmnet divides y by its standard deviation, and so the strength of the squares: of 1 it does nothing
    y <- if (family == "gaussian") score / sqrt(mean((score - mean(score))^2)) else as.numeric(score > 0)
    fit <- glmnet(X, y, family, alpha = ratio, lambda = strength, standardize = FALSE, thresh = 1e-16, maxit = 1e8,
                  penalty.factor = case$f, lower.limits = case$low, upper.limits = case$high)
    put(family, name, ratio, as.vector(coef(fit)))
  }
}
