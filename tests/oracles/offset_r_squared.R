# R² and F of least squares with an offset, for test_offset_r_squared.py.   R 4.2.2, data set cars.
# Run from this folder:  Rscript offset_r_squared.R
# r_squared and f are of glm's deviances, that is, of dist - offset; summary(lm) of R 4.2 has its own (lm_r_squared, lm_f):
# sums of squares of fitted values in which the offset is contained.
models <- list(with = dist ~ speed + offset(2 * speed), without = dist ~ 0 + speed + offset(2 * speed))
one <- function(formula) {
  fit <- glm(formula, data = cars); line <- summary(lm(formula, data = cars))
  df <- fit$df.null - fit$df.residual
  c(r_squared = 1 - fit$deviance / fit$null.deviance,
    f = (fit$null.deviance - fit$deviance) / df / (fit$deviance / fit$df.residual),
    lm_r_squared = line$r.squared, lm_f = line$fstatistic[["value"]])
}
numbers <- function(v) paste0("{", paste(sprintf('"%s": %.15g', names(v), v), collapse = ", "), "}")
listed <- function(v) paste0("[", paste(v, collapse = ", "), "]")
writeLines(sprintf('{"speed": %s, "dist": %s, "with": %s, "without": %s}', listed(cars$speed), listed(cars$dist),
                   numbers(one(models$with)), numbers(one(models$without))), "offset_r_squared.json")
