# Cost-complexity sequences of regression trees by rpart, on data that come with R.
# Rscript cost_complexity.R > cost_complexity.json
library(rpart)
cases <- list(
  mtcars = list(data = mtcars, target = "mpg", bucket = 3),
  swiss = list(data = swiss, target = "Fertility", bucket = 4),
  stackloss = list(data = stackloss, target = "stack.loss", bucket = 2),
  airquality = list(data = na.omit(airquality), target = "Ozone", bucket = 5),
  attitude = list(data = attitude, target = "rating", bucket = 2)
)
numbers <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
one <- function(name) {
  case <- cases[[name]]
  fit <- rpart(as.formula(paste(case$target, "~ .")), case$data, method = "anova",
               control = rpart.control(minsplit = 2 * case$bucket, minbucket = case$bucket, cp = 0, xval = 0,
                                       maxcompete = 0, maxsurrogate = 0))
  X <- case$data[setdiff(names(case$data), case$target)]
  paste0('  "', name, '": {"bucket": ', case$bucket,
         ',\n    "y": ', numbers(case$data[[case$target]]),
         ',\n    "X": [', paste(apply(as.matrix(X), 1, numbers), collapse = ", "), "]",
         ',\n    "cp": ', numbers(fit$cptable[, "CP"]),
         ',\n    "splits": ', numbers(fit$cptable[, "nsplit"]),
         ',\n    "error": ', numbers(fit$cptable[, "rel error"]), "}")
}
cat("{\n", '  "made by": "', R.version.string, ", rpart ", as.character(packageVersion("rpart")), '",\n',
    paste(sapply(names(cases), one), collapse = ",\n"), "\n}\n", sep = "")
