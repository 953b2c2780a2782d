# Strengths that glmnet's cross-validation chooses, for test_one_standard_error.py.
# Run from this folder:  Rscript one_standard_error.R
# Writes one_standard_error.csv (y, columns, standardised) and one_standard_error.json.   R 4.2.2, glmnet 4.1-6.
suppressPackageStartupMessages({library(MASS); library(glmnet); library(jsonlite)})
crime <- UScrime[1:45, ]                                   # five folds of nine rows each
X <- scale(as.matrix(crime[, -16])); y <- crime$y / 100
write.csv(format(data.frame(y = y, X), digits = 17, trim = TRUE), "one_standard_error.csv", row.names = FALSE, quote = FALSE)
folds <- rep(1:5, each = 9)
lambda <- exp(seq(log(3), log(0.003), length.out = 40))
glmnet.control(fdev = 0, devmax = 1)
choose <- function(alpha, family = "gaussian", target = y) {
  fit <- cv.glmnet(X, target, family = family, alpha = alpha, lambda = lambda, foldid = folds, standardize = FALSE,
                   thresh = 1e-14, maxit = 1e7, type.measure = "deviance")
  list(min = fit$lambda.min, one_se = fit$lambda.1se, mean = fit$cvm, error = fit$cvsd)
}
# glmnet divides the L2 part of a gaussian model by the standard deviation of y in each fold: ridge by its closed form
ridge <- function(folds) {
  errors <- sapply(lambda, function(l) sapply(unique(folds), function(f) {
    train <- folds != f
    centre <- colMeans(X[train, ]); Z <- sweep(X[train, ], 2, centre)
    beta <- solve(crossprod(Z) + 36 * l * diag(ncol(X)), crossprod(Z, y[train] - mean(y[train])))
    mean((y[!train] - mean(y[train]) - sweep(X[!train, , drop = FALSE], 2, centre) %*% beta)^2)
  }))
  mean <- colMeans(errors); error <- apply(errors, 2, sd) / sqrt(nrow(errors)); best <- which.min(mean)
  list(min = lambda[best], one_se = max(lambda[mean <= mean[best] + error[best]]), mean = mean, error = error)
}
out <- list(lambda = lambda, lasso = choose(1), ridge = ridge(folds), leave_one_out = ridge(1:45),
            logistic = choose(0, "binomial", as.integer(y > 8.5)), logistic_l1 = choose(1, "binomial", as.integer(y > 8.5)))
write(toJSON(out, digits = NA, auto_unbox = TRUE), "one_standard_error.json")
