# glm and lm on the South African heart data, for the command `separatrix summary`.
# Run in this folder: Rscript summary_command.R ../../../shared/data/esl/SAheart.csv
d <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = TRUE)
control <- glm.control(epsilon = 1e-14, maxit = 50)
num <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ", "), "]")
txt <- function(v) paste0("[", paste0("\"", v, "\"", collapse = ", "), "]")
told <- function(formula, fit) {
  table <- coef(summary(fit))
  extra <- if (inherits(fit, "glm")) c(deviance(fit), fit$null.deviance, AIC(fit)) else c(summary(fit)$sigma, summary(fit)$r.squared, AIC(fit))
  sprintf('    {"formula": "%s", "terms": %s, "estimate": %s, "error": %s, "statistic": %s, "p": %s, "extra": %s, "rows": %d}',
          formula, txt(rownames(table)), num(table[, 1]), num(table[, 2]), num(table[, 3]), num(table[, 4]), num(extra), nobs(fit))
}
binomial_formulas <- c("chd ~ tobacco + ldl + famhist + age", "chd ~ log(sbp) + famhist * age - obesity", "famhist ~ age + tobacco - 1")
gaussian_formulas <- c("ldl ~ adiposity + famhist + age", "log(sbp) ~ age + I(age**2)")
in_r <- function(text) as.formula(gsub("**", "^", text, fixed = TRUE))
b <- sapply(binomial_formulas, function(f) told(f, glm(in_r(f), binomial, d, control = control)))
g <- sapply(gaussian_formulas, function(f) told(f, lm(in_r(f), d)))
h <- d; h$tobacco[c(3, 10)] <- NA; h$famhist[7] <- NA
m <- told("chd ~ tobacco + famhist", glm(chd ~ tobacco + famhist, binomial, h, control = control))
writeLines(c(sprintf('{"version": "%s",', R.version.string), '"binomial": [', paste(b, collapse = ",\n"), '],',
             '"gaussian": [', paste(g, collapse = ",\n"), '],', '"missing":', m, "}"), "summary_command.json")
