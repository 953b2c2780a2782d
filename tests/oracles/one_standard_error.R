# Strengths that glmnet's cross-validation chooses, for test_one_standard_error.py.
# Run from this folder:  Rscript one_standard_error.R
# Writes one_standard_error.csv (y, columns, standardised) and one_standard_error.json.   R 4.2.2, glmnet 4.1-6.
suppressPackageStartupMessages({library(MASS); library(glmnet)})
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
# the same of an elastic net: with y divided by its standard deviation u beforehand, glmnet changes nothing, and
# RSS / 2n + alpha l |b| + (1 - alpha) l b^2 / 2 is u^2 times its objective in b / u with these L1 and L2 parts
net <- function(alpha) {
  errors <- sapply(unique(folds), function(f) {
    train <- folds != f
    unit <- sqrt(mean((y[train] - mean(y[train]))^2))
    sapply(lambda, function(l) {
      l1 <- alpha * l / unit; l2 <- (1 - alpha) * l
      fit <- glmnet(X[train, ], (y[train] - mean(y[train])) / unit, alpha = l1 / (l1 + l2), lambda = l1 + l2, standardize = FALSE,
                    thresh = 1e-16, maxit = 1e7)
      mean((y[!train] - mean(y[train]) - unit * predict(fit, X[!train, , drop = FALSE]))^2)
    })
  })
  mean <- rowMeans(errors); error <- apply(errors, 1, sd) / sqrt(ncol(errors)); best <- which.min(mean)
  list(min = lambda[best], one_se = max(lambda[mean <= mean[best] + error[best]]), mean = mean, error = error)
}
out <- list(lambda = lambda, lasso = choose(1), net_0.5 = net(0.5), net_0.2 = net(0.2), net_1 = net(1),
            logistic_0.5 = choose(0.5, "binomial", as.integer(y > 8.5)), logistic_0.2 = choose(0.2, "binomial", as.integer(y > 8.5)), ridge = ridge(folds), leave_one_out = ridge(1:45),
            logistic = choose(0, "binomial", as.integer(y > 8.5)), logistic_l1 = choose(1, "binomial", as.integer(y > 8.5)))
numbers <- function(v) paste0(if (length(v) > 1) "[", paste(sprintf("%.17g", v), collapse = ", "), if (length(v) > 1) "]")
json <- function(v) if (is.list(v)) paste0("{", paste(sprintf('"%s": %s', names(v), vapply(v, json, "")), collapse = ", "), "}") else numbers(v)
writeLines(json(out), "one_standard_error.json")
