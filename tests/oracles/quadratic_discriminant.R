# Numbers of tests/oracles/quadratic_discriminant.json, from the root of the repository:
#   Rscript tests/oracles/quadratic_discriminant.R ../shared/data/esl > tests/oracles/quadratic_discriminant.json
# Posteriors of MASS::qda on R's iris and on the vowel data of Hastie, Tibshirani and Friedman.
suppressMessages(library(MASS))
folder <- commandArgs(trailingOnly = TRUE)[1]
numbers <- function(v) paste0("[", paste(sprintf("%.17g", unname(v)), collapse = ", "), "]")
rows <- function(m) paste0("[", paste(apply(m, 1, numbers), collapse = ",\n   "), "]")
whole <- function(v) paste0("[", paste(as.integer(v), collapse = ", "), "]")
case <- function(name, fit, new, every) {
  found <- predict(fit, new)
  sprintf(' "%s": {"every": %d,\n  "classes": %s,\n  "posterior": %s}', name, every,
          whole(found$class), rows(found$posterior[seq(1, nrow(new), by = every), ]))
}
flowers <- as.matrix(iris[, 1:4])
train <- read.csv(file.path(folder, "vowel.train.csv")); test <- read.csv(file.path(folder, "vowel.test.csv"))
X <- as.matrix(train[, -1]); new <- as.matrix(test[, -1])
cases <- c(
  case("iris N-K", qda(flowers, iris$Species), flowers, 5),
  case("iris N", qda(flowers, iris$Species, method = "mle"), flowers, 5),
  case("iris priors", qda(flowers, iris$Species, prior = c(0.2, 0.3, 0.5)), flowers, 5),
  case("vowel N-K", qda(X, factor(train[, 1])), new, 11),
  case("vowel N", qda(X, factor(train[, 1]), method = "mle"), new, 11))
cat(sprintf('{\n "R": "%s", "MASS": "%s",\n%s\n}\n', getRversion(), packageVersion("MASS"), paste(cases, collapse = ",\n")))
