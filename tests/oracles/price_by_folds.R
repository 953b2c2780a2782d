# Cross-validated errors of cost-complexity pruning by rpart, with stated folds, on data that come with R.
# Regression: xerror and xstd of the table. Two classes, as the numbers 0 and 1 (their variance is half of Gini's
# index, so that the trees are those of Gini): shares of wrong classes of the predictions of xpred.rpart.
# Rscript price_by_folds.R > price_by_folds.json
library(rpart)
library(MASS)
tree <- function(target, data, bucket, folds)  # do.call: xpred.rpart evaluates the arguments again
  do.call(rpart, list(as.formula(paste(target, "~ .")), data = data, method = "anova",
                      control = rpart.control(minsplit = 2 * bucket, minbucket = bucket, cp = 0, xval = folds,
                                              maxcompete = 0, maxsurrogate = 0, usesurrogate = 0)))
cases <- list(
  cpus = list(data = transform(cpus[, c(2:7, 8)], perf = log(perf)), target = "perf", bucket = 12, classes = FALSE),
  airquality = list(data = na.omit(airquality), target = "Ozone", bucket = 10, classes = FALSE),
  boston = list(data = Boston[seq(1, 506, 2), ], target = "medv", bucket = 7, classes = FALSE),
  pima = list(data = transform(Pima.tr, type = as.numeric(type == "Yes")), target = "type", bucket = 15, classes = TRUE)
)
numbers <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
one <- function(name) {
  case <- cases[[name]]
  n <- nrow(case$data)
  folds <- (seq_len(n) * 7) %% 10 + 1
  # values are moved a little: where a row left out lies on a threshold, rpart sends it to the right and CART to the left
  for (j in setdiff(names(case$data), case$target)) {
    moved <- sin(seq_len(n) * (match(j, names(case$data)) + sqrt(2)))
    case$data[[j]] <- case$data[[j]] + 1e-3 * sd(case$data[[j]]) * moved
  }
  fit <- tree(case$target, case$data, case$bucket, folds)
  error <- fit$cptable[, "xerror"]; spread <- fit$cptable[, "xstd"]
  if (case$classes) {
    wrong <- (xpred.rpart(fit, xval = folds) > 0.5) != case$data[[case$target]]
    error <- colMeans(wrong)
    spread <- sqrt(colSums(wrong) - colSums(wrong)^2 / n) / n
  }
  X <- case$data[setdiff(names(case$data), case$target)]
  paste0('  "', name, '": {"bucket": ', case$bucket, ', "classes": ', tolower(case$classes),
         ',\n    "y": ', numbers(case$data[[case$target]]),
         ',\n    "X": [', paste(apply(as.matrix(X), 1, numbers), collapse = ", "), "]",
         ',\n    "folds": [', paste(folds, collapse = ", "), "]",
         ',\n    "cp": ', numbers(fit$cptable[, "CP"]),
         ',\n    "splits": ', numbers(fit$cptable[, "nsplit"]),
         ',\n    "error": ', numbers(error), ',\n    "standard_error": ', numbers(spread), "}")
}
cat("{\n", '  "made by": "', R.version.string, ", rpart ", as.character(packageVersion("rpart")), '",\n',
    paste(sapply(names(cases), one), collapse = ",\n"), "\n}\n", sep = "")
