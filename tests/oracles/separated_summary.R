# Finite coefficients of a quasi-separated logistic regression: in mtcars every car of eight cylinders has vs = 0. The
# likelihood of the other rows alone estimates what is finite; glm on all rows comes as near as its epsilon lets it.
#   Rscript separated_summary.R > separated_summary.json
boundary <- mtcars$cyl != 8
part <- glm(vs ~ mpg, binomial, mtcars, subset = boundary, control = glm.control(1e-14, 100))
whole <- suppressWarnings(glm(vs ~ mpg + I(cyl == 8), binomial, mtcars, control = glm.control(1e-14, 100)))
num <- function(x) paste0("[", paste(sprintf("%.15g", x), collapse = ", "), "]")
cat(sprintf('{"R": "%s",\n "boundary": %d,\n "estimate": %s,\n "error": %s,\n "low": %s,\n "deviance": %.15g,\n',
            getRversion(), sum(boundary), num(coef(part)), num(sqrt(diag(vcov(part)))),
            num(confint.default(part)[, 1]), deviance(part)))
cat(sprintf(' "deviance_of_all_rows": %.15g,\n', deviance(whole)))
for (v in c("mpg", "cyl", "vs")) cat(sprintf(' "%s": %s%s\n', v, num(mtcars[[v]]), if (v == "vs") "}" else ","))
