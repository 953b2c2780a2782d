# Generalised linear models by R's glm, for test_generalised_glm.py.
# Run from this folder:  Rscript generalised_glm.R
# Writes generalised/<set>.csv (y, weight, offset, columns of the model) and generalised_glm.json (what glm says of them).
suppressPackageStartupMessages({library(MASS); library(sandwich)})
options(digits = 17)
control <- glm.control(epsilon = 1e-15, maxit = 200)

num <- function(v) ifelse(is.na(v), "null", ifelse(is.infinite(v), ifelse(v > 0, '"inf"', '"-inf"'), sprintf("%.17g", v)))
json <- function(v) {
  if (is.list(v)) {
    items <- vapply(v, json, "")
    return(paste0("{", paste(sprintf('"%s": %s', names(v), items), collapse = ", "), "}"))
  }
  text <- if (is.character(v)) sprintf('"%s"', v) else num(v)
  if (length(v) == 1 && is.null(attr(v, "vector"))) text else paste0("[", paste(text, collapse = ", "), "]")
}
vec <- function(v) { attr(v, "vector") <- TRUE; v }

# ---------------------------------------------------------------- the data: y, weight, offset, columns without intercept
set_of <- function(formula, data, weight = 1, offset = 0) {
  frame <- model.frame(formula, data)
  X <- model.matrix(formula, frame)[, -1, drop = FALSE]
  colnames(X) <- paste0("c", seq_len(ncol(X)))
  cbind(y = as.numeric(model.response(frame)), weight = weight, offset = offset, as.data.frame(X))
}
sets <- list()
sets$warpbreaks <- set_of(breaks ~ wool * tension, warpbreaks)
sets$insects <- set_of(count ~ spray, InsectSprays)
sets$insurance <- set_of(Claims ~ District + Group + Age, Insurance, offset = log(Insurance$Holders))
sets$quine <- set_of(Days ~ Eth * Sex + Age + Lrn, quine)
trials <- esoph$ncases + esoph$ncontrols
sets$esoph <- set_of(I(ncases / (ncases + ncontrols)) ~ as.integer(agegp) + as.integer(alcgp) + as.integer(tobgp), esoph, trials)
sets$infert <- set_of(case ~ age + parity + induced + spontaneous, infert)
sets$menarche <- set_of(I(Menarche / Total) ~ Age, menarche, menarche$Total)
sets$trees <- set_of(Volume ~ log(Girth) + log(Height), trees)
sets$trees_offset <- set_of(Volume ~ log(Girth), trees, offset = log(trees$Height))
air <- na.omit(airquality)
sets$air <- set_of(Ozone ~ Solar.R + Wind + Temp, air)
clotting <- data.frame(u = c(5, 10, 15, 20, 30, 40, 60, 80, 100), lot1 = c(118, 58, 42, 35, 27, 25, 21, 19, 18))
sets$clotting <- set_of(lot1 ~ log(u), clotting)   # McCullagh and Nelder (1989), section 8.4.2
sets$cars93 <- set_of(Price ~ Horsepower + MPG.city + Origin, Cars93)
sets$mtcars <- set_of(mpg ~ wt + hp, mtcars)
dobson <- data.frame(counts = c(18, 17, 15, 20, 10, 20, 25, 13, 12), outcome = gl(3, 1, 9), treatment = gl(3, 3))
sets$dobson <- set_of(counts ~ outcome + treatment, dobson)   # Dobson (1990), page 93; R's own example
ships <- subset(MASS::ships, service > 0)
sets$ships <- set_of(incidents ~ type + factor(year) + factor(period), ships, offset = log(ships$service))
sets$origin <- set_of(count ~ spray, InsectSprays)   # fitted without an intercept

fits <- list(
  c("warpbreaks", "poisson", "log"), c("warpbreaks", "quasipoisson", "log"), c("insects", "poisson", "log"),
  c("insects", "quasipoisson", "log"), c("insurance", "poisson", "log"), c("insurance", "quasipoisson", "log"),
  c("quine", "poisson", "log"), c("quine", "quasipoisson", "log"), c("dobson", "poisson", "log"), c("ships", "poisson", "log"),
  c("ships", "quasipoisson", "log"), c("esoph", "binomial", "logit"), c("esoph", "quasibinomial", "logit"),
  c("esoph", "binomial", "probit"), c("esoph", "quasibinomial", "cloglog"), c("infert", "binomial", "logit"),
  c("infert", "binomial", "probit"), c("infert", "binomial", "cloglog"), c("menarche", "binomial", "probit"),
  c("menarche", "binomial", "cloglog"), c("menarche", "quasibinomial", "probit"), c("trees", "Gamma", "log"),
  c("trees_offset", "Gamma", "log"), c("air", "Gamma", "log"), c("clotting", "Gamma", "log"), c("cars93", "Gamma", "log"),
  c("trees", "inverse.gaussian", "log"), c("trees_offset", "inverse.gaussian", "log"), c("air", "inverse.gaussian", "log"),
  c("clotting", "inverse.gaussian", "log"), c("cars93", "inverse.gaussian", "log"), c("mtcars", "gaussian", "identity"),
  c("trees", "gaussian", "identity"), c("origin", "poisson", "log"))

told <- function(which) {
  name <- which[1]
  data <- sets[[name]]
  right <- paste(setdiff(names(data), c("y", "weight", "offset")), collapse = " + ")
  if (name == "origin") right <- paste("0 +", right)
  family <- get(which[2])(link = which[3])
  run <- function(formula, start = NULL) suppressWarnings(glm(formula, family, data, weights = weight, offset = offset,
                                                               control = control, start = start))
  formula <- as.formula(paste("y ~", right))
  fit <- run(formula)
  fit <- run(formula, coef(fit))   # once more from the optimum: standard errors are those of the last step but one
  s <- summary(fit)
  test <- if (fit$family$family %in% c("poisson", "binomial")) "Chisq" else "F"
  out <- list(set = name, family = which[2], link = which[3], terms = vec(rownames(s$coefficients)), estimate = vec(s$coefficients[, 1]),
              error = vec(s$coefficients[, 2]), statistic = vec(s$coefficients[, 3]), p = vec(s$coefficients[, 4]),
              dispersion = s$dispersion, deviance = fit$deviance, null_deviance = fit$null.deviance, df = fit$df.residual,
              aic = fit$aic, fitted = vec(as.numeric(fitted(fit))))
  # the sandwich of single rows: offsets of a log link are known to glm, weights are not repetitions there
  if (name %in% c("warpbreaks", "insects", "quine", "infert", "air", "dobson")) out$robust <- vec(sqrt(diag(sandwich(fit))))
  if (name != "origin") {
    a <- anova(run(y ~ 1), fit, test = test)
    out$test <- test
    out$whole <- if (test == "F") a$F[2] else a$Deviance[2]
    out$whole_p <- a[[ncol(a)]][2]
  }
  out
}
dir.create("generalised", showWarnings = FALSE)
for (name in names(sets)) {
  text <- as.data.frame(lapply(sets[[name]], function(v) sprintf("%.17g", as.numeric(v))))
  write.csv(text, file.path("generalised", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
}
results <- lapply(fits, told)
names(results) <- vapply(fits, paste, "", collapse = " ")
writeLines(json(c(list(version = paste(R.version.string, "MASS", packageVersion("MASS"), "sandwich", packageVersion("sandwich"))), results)), "generalised_glm.json")
