# Linear discriminants by MASS::lda, for test_linear_discriminants.py.
# Run from this folder:  Rscript linear_discriminants.R <folder that holds vowel.train.csv, vowel.test.csv, SAheart.csv>
# Writes crabs.csv (five measures of four kinds of crabs) and linear_discriminants.json (what lda says).
suppressPackageStartupMessages(library(MASS))
folder <- commandArgs(TRUE)[1]
options(digits = 17)

numbers <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ", "), "]")
rows <- function(m) paste0("[", paste(apply(m, 1, numbers), collapse = ",\n    "), "]")

case <- function(name, X, g, new = X, ...) {
  fit <- lda(X, g, ...)
  said <- predict(fit, new)
  shown <- seq_len(min(nrow(new), 60))
  sprintf('  "%s": {\n   "prior": %s,\n   "means": %s,\n   "scaling": %s,\n   "svd": %s,\n   "class": %s,\n   "posterior": %s,\n   "variates": %s}',
    name, numbers(fit$prior), rows(fit$means), rows(fit$scaling), numbers(fit$svd), numbers(as.integer(said$class)),
    rows(said$posterior[shown, ]), rows(said$x[shown, , drop = FALSE]))
}

X <- as.matrix(iris[, 1:4]); g <- iris$Species
some <- c(1:40, 51:80, 101:150)
measures <- as.matrix(crabs[, 4:8]); kind <- paste0(crabs$sp, crabs$sex)
write.csv(data.frame(measures, kind = kind), "crabs.csv", row.names = FALSE, quote = FALSE)
vowel <- read.csv(file.path(folder, "vowel.train.csv")); unseen <- read.csv(file.path(folder, "vowel.test.csv"))
heart <- read.csv(file.path(folder, "SAheart.csv"))
factors <- cbind(as.matrix(heart[, c("sbp", "tobacco", "ldl", "obesity", "alcohol", "age")]), famhist = heart$famhist == "Present")

cases <- c(
  case("iris", X, g),
  case("iris, priors", X, g, prior = c(0.5, 0.3, 0.2)),
  case("iris, unequal", X[some, ], g[some]),
  case("iris, unequal, maximum likelihood", X[some, ], g[some], method = "mle"),
  case("iris, two species", X[51:150, ], factor(g[51:150])),
  case("crabs", measures, kind),
  case("crabs, priors", measures, kind, prior = c(0.1, 0.2, 0.3, 0.4)),
  case("vowel", as.matrix(vowel[, -1]), vowel$y, as.matrix(unseen[, -1])),
  case("heart", factors, heart$chd))
cat(sprintf('{\n "made by": "%s, MASS %s",\n "cases": {\n%s\n }\n}\n', R.version.string, packageVersion("MASS"),
  paste(cases, collapse = ",\n")), file = "linear_discriminants.json")
