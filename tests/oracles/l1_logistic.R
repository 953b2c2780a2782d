# Coefficients of glmnet's logistic and multinomial models, for test_l1_logistic.py.
# Run from this folder:  Rscript l1_logistic.R > l1_logistic.csv
# glmnet minimises -loglik / sum(w) + lambda (a |b|_1 + (1 - a) |b|^2 / 2), the intercept free: our objective.
library(glmnet)
put <- function(family, weighted, strength, ratio, class, value) {
  term <- seq_along(value) - 1   # 0 is the intercept
  cat(sprintf("%s,%d,%s,%s,%d,%d,%.17g\n", family, weighted, strength, ratio, class, term, value), sep = "")
}
cat(sprintf("# %s, glmnet %s\n", R.version.string, packageVersion("glmnet")))
cat("family,weighted,strength,ratio,class,term,value\n")

i <- 1:60
X <- outer(i, 1:8, function(i, j) sin(1.7 * i * j) + 0.3 * cos(i * i))
score <- X[, 1] - 2 * X[, 3] + cos(2.3 * i * i)
y <- as.numeric(score > 0)
three <- as.numeric(score > -0.8) + as.numeric(score > 0.8)
w <- 1 + i %% 3

for (weighted in 0:1) for (ratio in c(1, 0.5)) for (strength in c(0.1, 0.02, 0.005)) {
  weights <- if (weighted) w else rep(1, 60)
  fit <- glmnet(X, y, "binomial", weights, alpha = ratio, lambda = strength, standardize = FALSE, thresh = 1e-14, maxit = 1e8)
  put("binomial", weighted, strength, ratio, 0, as.vector(coef(fit)))
  fit <- glmnet(X, factor(three), "multinomial", weights, alpha = ratio, lambda = strength, standardize = FALSE,
                thresh = 1e-14, maxit = 1e8)
  for (class in 0:2) put("multinomial", weighted, strength, ratio, class, as.vector(coef(fit)[[class + 1]]))
}
