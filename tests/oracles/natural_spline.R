# Values of splines::ns for tests/estimators/basis/test_natural_spline.py.
# Run:  Rscript tests/oracles/natural_spline.R > tests/oracles/natural_spline.json
library(splines)

x <- round(20 * ((1:60 * 0.6180339887) %% 1)^2, 6)      # skewed, without ties
new <- c(-7.5, -1, 0, 0.1, 0.73, 2, 3.3, 5, 7.25, 10, 13, 19.5, 25, 40)

numbers <- function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ", "), "]")
rows <- function(m) paste0("[", paste(apply(m, 1, numbers), collapse = ",\n    "), "]")
case <- function(name, basis) sprintf(
  '  "%s": {\n   "knots": %s,\n   "boundary": %s,\n   "values": %s}',
  name, numbers(as.numeric(attr(basis, "knots"))), numbers(attr(basis, "Boundary.knots")), rows(predict(basis, new)))

cases <- c(
  case("three given knots", ns(x, knots = c(2, 4, 6), Boundary.knots = c(0, 10))),
  case("four columns", ns(x, df = 4)),
  case("one column", ns(x, df = 1)),
  case("seven columns inside a narrow boundary", ns(x, df = 7, Boundary.knots = c(1, 12))))
cat(sprintf('{\n "made by": "%s, splines %s",\n "x": %s,\n "new": %s,\n "cases": {\n%s\n }\n}\n',
  R.version.string, packageVersion("splines"), numbers(x), numbers(new), paste(cases, collapse = ",\n")))
