# Tables and posteriors of e1071::naiveBayes on a table of mixed columns, for test_naive_bayes.py.
# Run from this folder:  Rscript naive_bayes.R > naive_bayes.csv
# e1071 divides squares by n - 1; its standard deviations are brought to maximum likelihood before it predicts.
library(e1071)
put <- function(laplace, quantity, row, column, value) {
  cat(sprintf("%s,%s,%s,%s,%.17g\n", laplace, quantity, row, column, value), sep = "")
}
cat(sprintf("# %s, e1071 %s\n", R.version.string, packageVersion("e1071")))
cat("laplace,quantity,row,column,value\n")

i <- 1:60
class <- factor(c("a", "b", "c")[1 + (i * i) %% 7 %% 3])
size <- sin(1.7 * i) + as.numeric(class)
weight <- 20 * cos(0.9 * i * i) + 5 * as.numeric(class == "b")
colour <- factor(c("red", "green", "blue", "grey")[1 + (i * as.numeric(class)) %% 4])
wet <- factor(c("no", "yes")[1 + (i %/% as.numeric(class)) %% 2])
table <- data.frame(size, weight, colour, wet)

for (laplace in c(0, 1)) {
  fit <- naiveBayes(table, class, laplace = laplace)
  n <- as.vector(fit$apriori)
  for (name in c("size", "weight")) {
    fit$tables[[name]][, 2] <- fit$tables[[name]][, 2] * sqrt((n - 1) / n)
    put(laplace, "mean", levels(class), name, fit$tables[[name]][, 1])
    put(laplace, "deviation", levels(class), name, fit$tables[[name]][, 2])
  }
  for (name in c("colour", "wet")) for (value in colnames(fit$tables[[name]])) {
    put(laplace, paste0("share of ", name), levels(class), value, fit$tables[[name]][, value])
  }
  # of the probability 0 itself e1071 makes NaN
  posterior <- predict(fit, table, type = "raw", threshold = 1e-300, eps = 0)
  for (c in levels(class)) put(laplace, "posterior", i, c, posterior[, c])
}
