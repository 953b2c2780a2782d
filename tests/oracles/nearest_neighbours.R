# Numbers of tests/oracles/nearest_neighbours.csv. Run from this folder:
#   Rscript nearest_neighbours.R <folder of the data: ../../../shared/data/esl>  > nearest_neighbours.csv
# class::knn on the vowel data of The Elements of Statistical Learning: the predicted class of each test row, and the share
# of votes it got. Votes that tie are broken by knn at random; they are known by their share and not to be compared.
suppressMessages(library(class))
folder <- commandArgs(trailingOnly = TRUE)[1]
read <- function(name) read.csv(file.path(folder, name))
train <- read("vowel.train.csv"); test <- read("vowel.test.csv")
x <- grep("^x", names(train), value = TRUE)
set.seed(1)
cat("# R ", as.character(getRversion()), ", class ", as.character(packageVersion("class")), "\nrow,k,class,share\n", sep = "")
for (k in c(1, 4, 9, 20)) {
  fit <- knn(train[, x], test[, x], factor(train$y), k = k, prob = TRUE)
  cat(sprintf("%d,%d,%s,%.6f\n", seq_along(fit) - 1, k, as.character(fit), attr(fit, "prob")), sep = "")
}
