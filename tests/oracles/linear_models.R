# Coefficients and standard errors of lm, and coefficients of glmnet, for test_linear_models.py.
# Run from this folder:  Rscript linear_models.R <folder of the data: ../../../shared/data>  > linear_models.csv
library(glmnet)
data <- commandArgs(trailingOnly = TRUE)[1]
put <- function(set, model, strength, ratio, term, quantity, value) {
  cat(sprintf("%s,%s,%s,%s,%s,%s,%.17g\n", set, model, strength, ratio, term, quantity, value), sep = "")
}
cat(sprintf("# %s, glmnet %s\n", R.version.string, packageVersion("glmnet")))
cat("set,model,strength,ratio,term,quantity,value\n")

diabetes <- read.csv(file.path(data, "regression", "diabetes.csv"))
prostate <- read.csv(file.path(data, "esl", "prostate.csv"))
prostate$train <- as.logical(prostate$train)
predictors <- c("lcavol", "lweight", "age", "lbph", "svi", "lcp", "gleason", "pgg45")
prostate[, predictors] <- scale(prostate[, predictors])   # as in ESL, section 3.2.1, over all 97 rows
prostate <- prostate[prostate$train, c(predictors, "lpsa")]
sets <- list(diabetes = list(as.matrix(diabetes[, 1:10]), diabetes$target),
             prostate = list(as.matrix(prostate[, predictors]), prostate$lpsa))

for (set in names(sets)) {
  X <- sets[[set]][[1]]; y <- sets[[set]][[2]]; n <- length(y)
  table <- coef(summary(lm(y ~ X)))
  put(set, "lm", 0, 0, c("intercept", colnames(X)), "estimate", table[, 1])
  put(set, "lm", 0, 0, c("intercept", colnames(X)), "error", table[, 2])
  # glmnet divides a gaussian y by its standard deviation (1/n) and undoes it afterwards. For the lasso lambda is then
  # our alpha; for a mixture the part of the square is not: lambda (1 - a) / 2 |w|^2 belongs to y in units of its
  # deviation. With y given in those units both are ours.
  sd <- sqrt(mean((y - mean(y))^2))
  Z <- scale(X) * sqrt(n / (n - 1)); attributes(Z)[c("scaled:center", "scaled:scale")] <- NULL
  for (ratio in c(1, 0.5)) for (strength in c(0.3, 0.1, 0.01)) {
    fit <- glmnet(Z, (y - mean(y)) / sd, alpha = ratio, lambda = strength, standardize = FALSE,
                  thresh = 1e-20, maxit = 1e7)
    put(set, "glmnet", strength, ratio, colnames(X), "estimate", as.vector(coef(fit, exact = FALSE))[-1])
  }
}
