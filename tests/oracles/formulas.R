# What lm and glm make of formulas on R's bundled data sets, for tests/estimators/formula/test_r_formulas.py.
# Run in this folder:  Rscript formulas.R        Writes formulas.json: the data, and for each formula names and numbers.
suppressPackageStartupMessages({library(MASS); library(splines)})
invisible(Sys.setlocale("LC_COLLATE", "C"))
options(digits = 17)
control <- glm.control(epsilon = 1e-14, maxit = 100)
center <- function(x) x - mean(x, na.rm = TRUE)

quoted <- function(v) paste0('"', gsub('"', '\\\\"', v), '"')
num <- function(v) ifelse(is.na(v), "null", sprintf("%.17g", v))
list_of <- function(text) paste0("[", paste(text, collapse = ", "), "]")
column <- function(v) list_of(if (is.character(v)) ifelse(is.na(v), "null", quoted(v)) else ifelse(is.na(v), "null", sprintf("%.15g", v)))
table_of <- function(d) paste0("{", paste(sprintf("%s: %s", quoted(names(d)), vapply(d, column, "")), collapse = ",\n    "), "}")

# Tables as a CSV file would give them: numbers and text, no factors.
plain <- function(d) { for (j in names(d)) if (is.factor(d[[j]])) d[[j]] <- as.character(d[[j]]) else d[[j]] <- as.numeric(d[[j]]); as.data.frame(d, optional = TRUE) }
two <- iris[iris$Species != "setosa", ]
odd <- setNames(mtcars[c("mpg", "wt", "hp", "cyl", "qsec", "drat")], c("C", "I", "log", "scale", "Treatment", "my col"))
sets <- list(women = women, cars = cars, mtcars = mtcars, iris = iris, two = two, warpbreaks = warpbreaks, npk = npk,
  ToothGrowth = ToothGrowth, infert = infert[c("education", "age", "parity", "induced", "case", "spontaneous")], esoph = esoph,
  swiss = swiss, airquality = airquality, CO2 = CO2, InsectSprays = InsectSprays, longley = longley, stackloss = stackloss,
  attitude = attitude, quine = quine, birthwt = birthwt, chicks = subset(ChickWeight, Time %in% c(0, 10, 21)), odd = odd,
  menarche = menarche, rock = rock, trees = trees, PlantGrowth = PlantGrowth, sleep = sleep, pressure = pressure)
sets <- lapply(sets, plain)

of_lm <- list(
  women = c("weight ~ height + I(height^2)", "weight ~ height^2", "weight ~ poly(height, 2)", "weight ~ poly(height, 2, raw = TRUE)",
            "weight ~ bs(height, df = 5)", "weight ~ ns(height, 3)", "weight ~ scale(height)", "1/weight ~ height", "weight^2 ~ height",
            "weight/height ~ height", "weight + height ~ height", "weight ~ I((height - 60)/10) + I(1/height)", "log(weight, 2) ~ log2(height)"),
  cars = c("dist ~ speed - 1", "dist ~ 0 + speed + I(speed^2)", "sqrt(dist) ~ log10(speed)", "dist ~ 1", "dist ~ poly(speed, degree = 3)",
           "dist ~ ns(speed, df = 4)", "dist ~ bs(speed, knots = c(10, 15, 20))", "dist ~ offset(2*speed) + I(speed^2)", "dist ~ I(speed > 15)",
           "dist ~ speed + offset(speed)", "dist ~ cut(speed, c(0, 10, 20, 30))", "dist ~ cut(speed, 3)", "dist ~ pmax(speed - 15, 0) + speed",
           "dist ~ exp(-speed/10) + abs(speed - 12)", "dist ~ bs(speed, degree = 2, df = 4, Boundary.knots = c(0, 30))"),
  mtcars = c("mpg ~ .", "mpg ~ . - disp - hp", "mpg ~ wt*factor(cyl)", "mpg ~ (wt + hp + qsec)^2", "mpg ~ factor(cyl)/wt - 1",
             "log(mpg) ~ as.factor(gear) + wt:factor(am)", "mpg ~ factor(cyl):factor(am)", "mpg ~ relevel(factor(cyl), ref = \"8\") + hp",
             "mpg ~ factor(cyl, levels = c(8, 6, 4)) * wt", "mpg ~ wt %in% factor(cyl)", "mpg ~ scale(wt) * scale(hp, scale = FALSE)",
             "mpg ~ C(factor(gear), contr.sum) + wt", "mpg ~ C(factor(gear), contr.helmert):wt", "mpg ~ ordered(cyl) + hp", "mpg ~ (wt > 3) + hp",
             "mpg ~ I(wt * hp) + factor(vs, labels = c(\"v\", \"straight\"))", "mpg ~ center(wt) + sqrt(hp)", "mpg ~ wt + I(hp %/% 50) + I(carb %% 2)",
             "mpg ~ wt + C(factor(cyl), contr.treatment, base = 2)", "mpg ~ -1 + factor(cyl) + factor(gear)", "mpg ~ cbind(wt, hp)",
             "mpg ~ ifelse(cyl > 4, wt, 0)", "mpg ~ poly(wt, 2):factor(am)"),
  odd = c("C ~ I + log", "C ~ log(log) + scale + I(I^2)", "`C` ~ `my col` + Treatment", "log(C) ~ scale(scale) + C(factor(scale))", "C ~ poly(`my col`, 2) + I", "C ~ ."),
  iris = c("Sepal.Length ~ Petal.Width * Species", "Sepal.Length ~ Species - 1", "Sepal.Length ~ .", "log(Sepal.Length) ~ `Petal.Width` + Species:Petal.Length",
           "Petal.Length + Petal.Width ~ (Sepal.Length + Sepal.Width)^2 + Species", "Sepal.Width ~ I(Species == \"setosa\") + poly(Sepal.Length, 2)", "Sepal.Length/Sepal.Width ~ Species"),
  warpbreaks = c("breaks ~ wool * tension", "breaks ~ wool/tension", "breaks ~ tension %in% wool", "log(breaks) ~ wool + C(tension, contr.poly)", "breaks ~ wool:tension - 1",
                 "breaks ~ C(wool, contr.sum) * C(tension, contr.sum)", "breaks ~ relevel(tension, \"M\") + wool", "breaks ~ C(tension, contr.SAS)"),
  npk = c("yield ~ block + N*P*K", "yield ~ N*P*K", "yield ~ block + (N + P + K)^2", "yield ~ block/N"),
  ToothGrowth = c("len ~ supp * dose", "len ~ supp * factor(dose)", "len ~ supp:factor(dose)", "len ~ supp + ns(dose, 2)", "len ~ ordered(dose) * supp", "len ~ supp/log(dose)"),
  swiss = c("Fertility ~ .", "Fertility ~ . - Examination + I(Education^2)", "Fertility ~ Agriculture + ns(Education, df = 3) + Catholic", "Fertility ~ Infant.Mortality + poly(Catholic, 3)"),
  airquality = c("Ozone ~ Solar.R + Wind + Temp", "log(Ozone) ~ scale(Temp) + Wind", "Ozone ~ factor(Month) + Temp", "Ozone ~ ns(Temp, 4) + bs(Wind, 5)", "Ozone^(1/3) ~ Wind*Temp"),
  CO2 = c("uptake ~ Type * Treatment + log(conc)", "uptake ~ conc + I(conc^2) + Type:Treatment", "uptake ~ Plant/log(conc) - 1", "uptake ~ (Type + Treatment + log(conc))^3"),
  InsectSprays = c("sqrt(count) ~ spray", "count ~ spray - 1", "count ~ C(spray, contr.helmert)"),
  longley = c("Employed ~ .", "Employed ~ GNP.deflator + GNP", "Employed ~ poly(Year, 4)"),
  stackloss = c("stack.loss ~ .", "stack.loss ~ (Air.Flow + Water.Temp)^2 - 1", "log(stack.loss) ~ Air.Flow*Water.Temp*Acid.Conc. - Air.Flow:Water.Temp:Acid.Conc."),
  attitude = c("rating ~ .", "rating ~ complaints * learning", "rating ~ I(complaints + privileges)", "rating ~ .^2 - 1"),
  quine = c("log(Days + 2.5) ~ Eth*Sex*Age*Lrn", "Days ~ Eth + Sex %in% Age", "sqrt(Days) ~ (Eth + Sex + Age)^2"),
  birthwt = c("bwt ~ lwt + factor(race) + smoke", "bwt ~ factor(race, labels = c(\"white\", \"black\", \"other\")) * smoke + ns(lwt, 3)"),
  chicks = c("weight ~ Diet * Time", "log(weight) ~ Time + Time:Diet", "weight ~ Diet/poly(Time, 2)"),
  rock = "log(perm) ~ poly(area, 2) + log(peri) + shape", trees = c("log(Volume) ~ log(Girth) + log(Height)", "Volume ~ I(Girth^2):Height - 1"),
  PlantGrowth = "weight ~ relevel(group, ref = \"trt1\")", sleep = c("extra ~ group + factor(ID)", "extra ~ factor(ID) + group - 1"),
  pressure = "log(pressure) ~ I(1/(temperature + 273.15))")
weighted <- list(list("mtcars", "mpg ~ wt + factor(cyl)", "qsec"), list("women", "weight ~ poly(height, 2)", "height"), list("airquality", "Ozone ~ Wind", "Solar.R"))
of_glm <- list(
  infert = c("case ~ spontaneous + induced", "case ~ age + parity + education + spontaneous + induced", "case ~ factor(induced) * spontaneous + poly(age, 2)"),
  birthwt = c("low ~ age + lwt + factor(race) + smoke + I(ptl > 0) + ht + ui", "low ~ ns(lwt, 3) + smoke*factor(race)", "low ~ . - bwt - ftv", "low ~ 1"),
  mtcars = c("am ~ wt", "vs ~ scale(mpg) - 1", "cyl > 4 ~ qsec", "factor(am) ~ hp + wt"),
  two = c("Species ~ Sepal.Length + Sepal.Width", "Species == \"virginica\" ~ Sepal.Length*Sepal.Width"),
  warpbreaks = c("breaks > 26 ~ wool*tension", "wool ~ breaks + tension"),
  esoph = c("cbind(ncases, ncontrols) ~ agegp + ordered(tobgp)", "cbind(ncases, ncontrols) ~ factor(alcgp) * scale(ncontrols)"),
  menarche = c("cbind(Menarche, Total - Menarche) ~ Age", "cbind(Menarche, Total - Menarche) ~ ns(Age, 3)"),
  npk = "yield > 55 ~ N + P + K", quine = "Days > 10 ~ Eth*Sex + Age")
proportions <- list(list("menarche", "Menarche/Total ~ Age", "Total"))

factors <- function(d) { for (j in names(d)) if (is.character(d[[j]])) d[[j]] <- factor(d[[j]]); d }   # what C() and relevel() take
told <- function(set, formula, family, weights = NULL) {
  d <- sets[[set]]
  if (!is.null(weights)) d$.w <- d[[weights]]
  f <- as.formula(formula)
  d <- factors(d)
  fit <- if (family == "binomial") { if (is.null(weights)) glm(f, binomial, d, control = control) else glm(f, binomial, d, weights = .w, control = control) }
         else if (is.null(weights)) lm(f, d) else lm(f, d, weights = .w)
  errors <- coef(fit); errors[] <- NA
  table <- coef(summary(fit)); errors[rownames(table)] <- table[, 2]
  terms <- delete.response(terms(fit))
  sprintf('{"set": %s, "formula": %s, "family": %s, "weights": %s,\n   "names": %s, "assign": %s, "labels": %s,\n   "estimates": %s,\n   "errors": %s,\n   "deviance": %s, "df": %d, "n": %d, "fitted": %s}',
          quoted(set), quoted(formula), quoted(family), if (is.null(weights)) "null" else quoted(weights), list_of(quoted(names(coef(fit)))),
          list_of(attr(model.matrix(fit), "assign")), list_of(if (length(labels(terms))) quoted(labels(terms)) else character()), list_of(num(coef(fit))), list_of(num(errors)), num(deviance(fit)), df.residual(fit),
          length(fitted(fit)), list_of(num(head(fitted(fit), 3))))
}
cases <- c(
  unlist(lapply(names(of_lm), function(s) vapply(of_lm[[s]], function(f) told(s, f, "gaussian"), ""))),
  vapply(weighted, function(w) told(w[[1]], w[[2]], "gaussian", w[[3]]), ""),
  unlist(lapply(names(of_glm), function(s) vapply(of_glm[[s]], function(f) told(s, f, "binomial"), ""))),
  vapply(proportions, function(w) told(w[[1]], w[[2]], "binomial", w[[3]]), ""))

# New rows, some beyond the range of the data.
predicted <- list(
  list("women", "weight ~ poly(height, 2)", "gaussian", data.frame(height = c(55, 60.5, 80))),
  list("women", "weight ~ scale(height) + I(height^2)", "gaussian", data.frame(height = c(55, 60.5, 80))),
  list("cars", "dist ~ ns(speed, df = 4)", "gaussian", data.frame(speed = c(1, 12.5, 40))),
  list("cars", "dist ~ bs(speed, df = 5)", "gaussian", data.frame(speed = c(4, 12.5, 25))),
  list("cars", "dist ~ offset(2*speed) + I(speed^2)", "gaussian", data.frame(speed = c(1, 12.5, 40))),
  list("cars", "dist ~ poly(log(speed), 3)", "gaussian", data.frame(speed = c(1, 12.5, 40))),
  list("cars", "dist ~ cut(speed, c(0, 10, 20, 30))", "gaussian", data.frame(speed = c(1, 12.5, 25))),
  list("mtcars", "mpg ~ scale(wt)*factor(cyl)", "gaussian", data.frame(wt = c(1, 3, 6), cyl = c(8, 4, 4))),
  list("mtcars", "log(mpg) ~ poly(hp, 2):factor(am)", "gaussian", data.frame(hp = c(40, 100, 400), am = c(0, 1, 1))),
  list("iris", "Sepal.Length ~ Species*ns(Petal.Width, 2)", "gaussian", data.frame(Species = c("setosa", "setosa", "virginica"), Petal.Width = c(0, 1, 3))),
  list("swiss", "Fertility ~ poly(Catholic, 3) + scale(Education, scale = FALSE)", "gaussian", data.frame(Catholic = c(-5, 50, 100), Education = c(1, 2, 60))),
  list("birthwt", "low ~ ns(lwt, 3) + smoke*factor(race)", "binomial", data.frame(lwt = c(70, 120, 260), smoke = c(0, 1, 1), race = c(3, 3, 1))))
foretold <- vapply(predicted, function(p) {
  d <- factors(sets[[p[[1]]]])
  f <- as.formula(p[[2]])
  fit <- if (p[[3]] == "binomial") glm(f, binomial, d, control = control) else lm(f, d)
  sprintf('{"set": %s, "formula": %s, "family": %s, "new": %s, "predicted": %s}', quoted(p[[1]]), quoted(p[[2]]), quoted(p[[3]]), table_of(p[[4]]),
          list_of(num(predict(fit, p[[4]], type = "response"))))
}, "")

# The algebra of terms by itself: labels and the constant of terms().
algebra <- c("~ a*b - a", "~ (a+b+c)^2 - a:b - 1", "~ a %in% b", "~ b + a + a:b", "~0+a", "~ a - 0", "~ a + 1 - 1", "~ (a+b)/c", "~ a/(b+c)", "~1", "~ 0", "~ a:a",
  "~ a*b*c - a:b:c", "~ (a - 1)", "~ -1 + a", "~ (a+b)*c", "~ a + (b + c %in% a)", "~ a %in% (b+c)", "~ (a*b)^2", "~ (a+b+1)^2", "~ a*b - b:a", "~ (a + 0)*b",
  "~ a:(b+1)", "~ a + offset(b) + c", "~ a - offset(b)", "~ -a + b", "~ (a-b)*c", "~ a - (b - 1)", "~ c + a*b - c", "~ a/b/c", "~ (a/b)^2", "~ a*(b - c)", "~ a^3", "~ (a + b:c)^2",
  "~ a:b + a", "~ c:b:a + b", "~ log(a)*b - log(a)", "~ I(a^2) + a^2", "~ a + b - a:b", "~ (a + b)^2:c", "~ a:b*c", "~ a*b/c", "~ a %in% b + c", "~ (a %in% b)*c", "~ (a+b+c)^3 - a:b:c - a")
expanded <- vapply(algebra, function(f) { t <- terms(as.formula(f)); sprintf('{"formula": %s, "labels": %s, "intercept": %d}', quoted(f),
  list_of(if (length(labels(t))) quoted(labels(t)) else character()), attr(t, "intercept")) }, "")

writeLines(c(sprintf('{"version": "%s",', R.version.string), '"sets": {', paste(sprintf("%s: %s", quoted(names(sets)), vapply(sets, table_of, "")), collapse = ",\n"), "},",
  '"fits": [', paste(cases, collapse = ",\n"), "],", '"predictions": [', paste(foretold, collapse = ",\n"), "],", '"algebra": [', paste(expanded, collapse = ",\n"), "]}"), "formulas.json")
