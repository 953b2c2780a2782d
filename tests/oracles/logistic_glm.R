# Maximum likelihood of logistic regressions by R's glm, for test_logistic_glm.py.
# Run from this folder:  Rscript logistic_glm.R
# Writes logistic/<set>.csv (y, weight, columns of the model) and logistic_glm.json (what glm says of them).
suppressPackageStartupMessages(library(MASS))
options(digits = 17)
control <- glm.control(epsilon = 1e-14, maxit = 100)

num <- function(v) ifelse(is.na(v), "null", ifelse(is.infinite(v), ifelse(v > 0, '"inf"', '"-inf"'), sprintf("%.17g", v)))
json <- function(v) {
  if (is.list(v)) {
    items <- vapply(v, json, "")
    if (is.null(names(v))) return(paste0("[", paste(items, collapse = ", "), "]"))
    return(paste0("{", paste(sprintf('"%s": %s', names(v), items), collapse = ", "), "}"))
  }
  if (is.matrix(v)) return(paste0("[", paste(apply(v, 1, json), collapse = ", "), "]"))
  text <- if (is.character(v)) sprintf('"%s"', v) else num(v)
  if (length(v) == 1 && is.null(attr(v, "vector"))) text else paste0("[", paste(text, collapse = ", "), "]")
}
vec <- function(v) { attr(v, "vector") <- TRUE; v }

# ---------------------------------------------------------------- the data: y, weight, columns
grouped <- function(yes, no, X) {
  X <- as.data.frame(X)
  cbind(y = rep(1:0, each = nrow(X)), weight = c(yes, no), rbind(X, X))
}
plain <- function(y, X) cbind(y = as.integer(y), weight = 1, as.data.frame(X))

sets <- list()
sets$mtcars <- with(mtcars, plain(am, data.frame(mpg, hp)))
sets$infert <- with(infert, plain(case, data.frame(age, parity, induced, spontaneous)))
sets$esoph <- with(esoph, grouped(ncases, ncontrols, data.frame(age = as.integer(agegp), alcohol = as.integer(alcgp), tobacco = as.integer(tobgp))))
sets$birthwt <- with(birthwt, plain(low, data.frame(age, lwt, race2 = 1 * (race == 2), race3 = 1 * (race == 3), smoke, ptl, ht, ui, ftv)))
sets$pima <- with(Pima.tr, plain(type == "Yes", data.frame(npreg, glu, bp, skin, bmi, ped, age)))
sets$menarche <- with(menarche, grouped(Menarche, Total - Menarche, data.frame(age = Age)))
dead <- c(1, 4, 9, 13, 18, 20, 0, 2, 6, 10, 12, 16)   # Venables and Ripley (2002), section 7.2: tobacco budworms
sets$budworm <- grouped(dead, 20 - dead, data.frame(ldose = rep(0:5, 2), male = rep(1:0, each = 6)))
sets$warpbreaks <- with(warpbreaks, plain(breaks > 26, data.frame(wool = 1 * (wool == "B"), medium = 1 * (tension == "M"), high = 1 * (tension == "H"))))
sets$swiss <- with(swiss, plain(Fertility > 70, data.frame(Agriculture, Education, Infant = Infant.Mortality)))
two <- iris[iris$Species != "setosa", ]
sets$iris <- with(two, plain(Species == "virginica", data.frame(sl = Sepal.Length, sw = Sepal.Width, pl = Petal.Length, pw = Petal.Width)))
air <- na.omit(airquality)
sets$airquality <- with(air, plain(Ozone > 40, data.frame(solar = Solar.R, wind = Wind, temp = Temp)))
sets$toothgrowth <- with(ToothGrowth, plain(len > 18, data.frame(supp = 1 * (supp == "VC"), dose)))
sets$bacteria <- with(bacteria, plain(y == "y", data.frame(active = 1 * (ap == "a"), compliant = 1 * (hilo == "hi"), week)))
set.seed(20)
Z <- matrix(rnorm(120 * 4), 120)
y <- rbinom(120, 1, plogis(Z %*% c(1, -0.5, 0.8, 0)))
sets$scaled <- plain(y, data.frame(large = 1e8 * Z[, 1], small = 1e-8 * Z[, 2], far = 1e3 + Z[, 3], unit = Z[, 4]))
near <- cbind(Z[, 1], Z[, 1] + 1e-4 * Z[, 2], Z[, 3])
sets$collinear <- plain(y, data.frame(a = near[, 1], b = near[, 2], c = near[, 3]))
sets$fractional <- transform(plain(y, data.frame(a = Z[, 1], b = Z[, 2])), weight = round(rexp(120), 3))
sets$origin <- plain(y, data.frame(a = Z[, 1], b = Z[, 2], c = Z[, 3]))   # fitted without an intercept

terms <- list(birthwt = list(age = "age", lwt = "lwt", race = c("race2", "race3"), smoke = "smoke", ptl = "ptl", ht = "ht", ui = "ui", ftv = "ftv"))

# ---------------------------------------------------------------- what glm says
fit_of <- function(name, columns = setdiff(names(sets[[name]]), c("y", "weight")), offset = NULL) {
  data <- sets[[name]]
  right <- if (length(columns)) paste(columns, collapse = " + ") else "1"
  if (name == "origin") right <- paste("0 +", right)
  data$move <- if (is.null(offset)) 0 else offset
  fit <- function(start) suppressWarnings(glm(as.formula(paste("y ~", right)), binomial, data, weights = weight,
                                              control = control, offset = move, start = start))
  fit(coef(fit(NULL)))   # once more from the optimum: glm's standard errors are those of the last step but one
}
# the ends of the profile interval, by root finding on refits with an offset
profile_end <- function(name, fit, column, side) {
  columns <- setdiff(names(sets[[name]]), c("y", "weight"))
  se <- sqrt(diag(vcov(fit)))[[column]]
  x <- sets[[name]][[column]] - mean(sets[[name]][[column]])   # glm may lose its way from scores far from 0
  f <- function(b) fit_of(name, setdiff(columns, column), b * x)$deviance - fit$deviance - qchisq(0.95, 1)
  ends <- coef(fit)[[column]] + side * se * c(0.5, 4)
  while (f(ends[2]) < 0) ends[2] <- ends[2] + side * 2 * se
  uniroot(f, sort(ends), tol = 1e-13 * abs(ends[2]))$root
}
# coefficients less those one Newton step towards the fit without a row (R's own dfbeta takes deviance residuals instead)
one_step <- function(name, fit) {
  columns <- setdiff(names(sets[[name]]), c("y", "weight"))
  t(sapply(seq_len(nrow(sets[[name]])), function(i) coef(fit) - suppressWarnings(coef(glm(reformulate(columns, "y"),
    binomial, sets[[name]][-i, ], weights = weight, start = coef(fit), control = glm.control(maxit = 1))))))
}
told <- function(name) {
  fit <- fit_of(name)
  table <- coef(summary(fit))
  columns <- setdiff(names(sets[[name]]), c("y", "weight"))
  out <- list(terms = vec(rownames(table)), estimate = vec(table[, 1]), error = vec(table[, 2]), z = vec(table[, 3]), p = vec(table[, 4]),
              deviance = fit$deviance, null_deviance = fit$null.deviance, aic = fit$aic, log_likelihood = as.numeric(logLik(fit)))
  if (name == "fractional") out$aic <- out$log_likelihood <- NA   # R rounds the weights there
  if (name %in% c("birthwt", "pima", "budworm", "menarche", "swiss", "airquality"))   # on mtcars glm itself diverges on the way
    out$profile <- lapply(setNames(columns, columns), function(j) vec(sapply(c(-1, 1), function(side) profile_end(name, fit, j, side))))
  if (name %in% c("birthwt", "pima", "budworm", "airquality"))
    out$confint <- lapply(setNames(columns, columns), function(j) vec(as.numeric(suppressMessages(confint(fit, j)))))
  if (name %in% c("mtcars", "budworm", "airquality", "swiss")) {
    out$hat <- vec(hatvalues(fit)); out$cooks <- vec(cooks.distance(fit)); out$one_step <- unname(one_step(name, fit))
    out$pearson <- vec(residuals(fit, "pearson")); out$deviance_residual <- vec(residuals(fit, "deviance"))
    out$rstandard <- vec(rstandard(fit)); out$rstandard_pearson <- vec(rstandard(fit, type = "pearson"))
  }
  out
}
# analyses of terms, on factors as R sees them
analyses <- function(fit) {
  d <- drop1(fit, test = "Chisq"); a <- anova(fit, test = "Chisq")
  s <- function(direction, start = fit, k = 2) {
    found <- suppressWarnings(step(start, scope = list(lower = ~1, upper = formula(fit)), direction = direction, k = k, trace = 0))
    list(kept = vec(attr(terms(found), "term.labels")), aic = extractAIC(found, k = k)[2], path = vec(as.character(found$anova$Step)), path_aic = vec(found$anova$AIC))
  }
  n <- sum(weights(fit))
  empty <- update(fit, . ~ 1)
  list(drop1 = list(term = vec(rownames(d)), df = vec(d$Df), deviance = vec(d$Deviance), aic = vec(d$AIC), lr = vec(d$LRT), p = vec(d[["Pr(>Chi)"]])),
       anova = list(term = vec(rownames(a)), df = vec(a$Df), lr = vec(a$Deviance), residual_df = vec(a[["Resid. Df"]]), deviance = vec(a[["Resid. Dev"]]), p = vec(a[["Pr(>Chi)"]])),
       backward = s("backward"), both = s("both"), forward = s("both", empty), bic = s("backward", k = log(n)))
}
bw <- sets$birthwt; bw$race <- birthwt$race; bw$race <- factor(bw$race)
analysed <- list(
  birthwt = analyses(glm(y ~ age + lwt + race + smoke + ptl + ht + ui + ftv, binomial, bw, control = control)),
  pima = analyses(glm(y ~ npreg + glu + bp + skin + bmi + ped + age, binomial, sets$pima, control = control)),
  infert = analyses(glm(y ~ age + parity + induced + spontaneous, binomial, sets$infert, control = control)))

dir.create("logistic", showWarnings = FALSE)
for (name in names(sets)) {
  text <- as.data.frame(lapply(sets[[name]], function(v) sprintf("%.17g", as.numeric(v))))
  write.csv(text, file.path("logistic", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}
found <- list(version = paste(R.version.string, "MASS", packageVersion("MASS")),
              sets = lapply(setNames(names(sets), names(sets)), told), analyses = analysed)
writeLines(json(found), "logistic_glm.json")
