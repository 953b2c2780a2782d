# Inference of linear and logistic models by stats, car, sandwich and multcomp, for test_linear_inference.py.
# Run from this folder:  Rscript linear_inference.R
# Writes linear_inference/<set>.csv (y, weight, cluster, columns of the model matrix) and linear_inference.json.
# Made with R 4.2.2, car 3.1-1, sandwich 3.0-2, multcomp 1.4-20, MASS 7.3-58, carData 3.0-5.
suppressPackageStartupMessages({library(MASS); library(car); library(sandwich); library(multcomp); library(jsonlite)})
tight <- glm.control(epsilon = 1e-14, maxit = 100)
set.seed(1)

mroz <- carData::Mroz
mroz$works <- as.integer(mroz$lfp == "yes")
fits <- list(
  duncan = lm(prestige ~ type + income + education, carData::Duncan),
  duncan_weighted = lm(prestige ~ type + income + education, carData::Duncan, weights = income / 10),
  oats = lm(Y ~ N + V, oats),
  longley = lm(Employed ~ ., longley),
  mroz = glm(works ~ k5 + k618 + age + wc + hc + lwg + inc, binomial, mroz, control = tight)
)
# glm's covariance is that of the coefficients before its last step: one step more from where it stopped
fits$mroz <- update(fits$mroz, start = coef(fits$mroz))
clusters <- list(duncan = rep(1:15, 3), duncan_weighted = rep(1:15, 3), oats = as.integer(oats$B), longley = rep(1:4, 4),
                 mroz = mroz$age)
hypotheses <- list(   # in R's names of coefficients
  duncan = c("income = education", "typeprof + typewc = 0"), duncan_weighted = c("2*income - education = 0.1", "typewc = 0"),
  oats = c("N0.2cwt = N0.4cwt", "N0.6cwt = 40"), longley = c("GNP = 0", "Unemployed = Armed.Forces"),
  mroz = c("wcyes = hcyes", "k5 = -1"))
new <- list(duncan = data.frame(type = factor(c("bc", "prof", "wc"), c("bc", "prof", "wc")), income = c(0, 50, 200), education = c(20, 50, -30)))

vec <- function(v) I(unname(as.vector(v)))
out <- list()
for (name in names(fits)) {
  fit <- fits[[name]]
  lsq <- class(fit)[1] == "lm"
  X <- model.matrix(fit); labels <- attr(terms(fit), "term.labels"); assign <- attr(X, "assign")
  y <- model.response(model.frame(fit)); w <- if (lsq && !is.null(weights(fit))) weights(fit) else rep(1, length(y))
  g <- clusters[[name]]
  table <- data.frame(y = y, weight = w, cluster = g, X[, -1], check.names = FALSE)
  write.csv(format(table, digits = 17, trim = TRUE), file.path("linear_inference", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  groups <- lapply(seq_along(labels), function(k) I(colnames(X)[assign == k])); names(groups) <- labels
  here <- list(least_squares = lsq, terms = groups, names = I(colnames(X)), vcov = vec(vcov(fit)))
  for (kind in c("HC0", "HC1", if (lsq) c("HC2", "HC3"))) here[[kind]] <- vec(vcovHC(fit, type = kind))
  here$CL_HC0 <- vec(vcovCL(fit, cluster = g, type = "HC0"))
  here$CL_HC1 <- vec(vcovCL(fit, cluster = g, type = "HC1"))
  v <- vif(fit)
  here$vif <- if (is.matrix(v)) list(gvif = vec(v[, 1]), df = vec(v[, 2]), scaled = vec(v[, 3])) else list(vif = vec(v))
  joint <- function(...) { t <- linearHypothesis(fit, hypotheses[[name]], ...); list(value = t[2, ncol(t) - 1], p = t[2, ncol(t)]) }
  here$hypotheses <- I(hypotheses[[name]])
  here$joint <- joint(test = if (lsq) "F" else "Chisq")
  here$joint_HC0 <- joint(test = if (lsq) "F" else "Chisq", vcov. = vcovHC(fit, type = "HC0"))
  # each by itself, with all adjustments
  # glht of a linear hypothesis matrix, so that names need no quoting
  parsed <- car::makeHypothesis(names(coef(fit)), hypotheses[[name]], NULL)
  L <- parsed[, -ncol(parsed), drop = FALSE]; rhs <- parsed[, ncol(parsed)]
  g1 <- glht(fit, linfct = L, rhs = rhs)
  s <- summary(g1, test = univariate())$test
  here$each <- list(estimate = vec(s$coefficients), error = vec(s$sigma), t = vec(s$tstat), p = vec(s$pvalues))
  alone <- confint(g1, calpha = univariate_calpha())$confint
  here$each$low <- vec(alone[, 2]); here$each$high <- vec(alone[, 3])
  all <- glht(fit, linfct = diag(length(coef(fit))))
  for (how in c("bonferroni", "holm", "hochberg", "BH", "BY")) here$adjusted[[how]] <- vec(summary(all, test = adjusted(how))$test$pvalues)
  if (lsq) {
    here$hat <- vec(hatvalues(fit)); here$rstandard <- vec(rstandard(fit)); here$rstudent <- vec(rstudent(fit))
    here$cooks <- vec(cooks.distance(fit)); here$dffits <- vec(dffits(fit)); here$dfbetas <- vec(dfbetas(fit))
    here$dfbeta <- vec(dfbeta(fit)); here$covratio <- vec(covratio(fit))
    for (interval in c("confidence", "prediction"))
      here[[interval]] <- vec(suppressWarnings(predict(fit, interval = interval, level = 0.9)))
    here$se <- vec(predict(fit, se.fit = TRUE)$se.fit)
  } else here$rstudent <- vec(rstudent(fit))
  out[[name]] <- here
}
# rows outside the data: dummies prof, wc, then income, education
for (interval in c("confidence", "prediction"))
  out$duncan[[paste0("new_", interval)]] <- vec(predict(fits$duncan, new$duncan, interval = interval))
# all pairs of nitrogen levels, by the multivariate t
pairs <- glht(fits$oats, linfct = mcp(N = "Tukey"))
s <- summary(pairs, test = adjusted("single-step", abseps = 1e-5, maxpts = 2e5))
# the design is balanced, so that Tukey's studentised range is exact
estimate <- s$test$coefficients; error <- s$test$sigma; reach <- qtukey(0.95, 4, fits$oats$df.residual) / sqrt(2) * error
out$oats$tukey <- list(matrix = pairs$linfct, names = I(rownames(pairs$linfct)), p = vec(s$test$pvalues),
                       exact = vec(ptukey(abs(s$test$tstat) * sqrt(2), 4, fits$oats$df.residual, lower.tail = FALSE)),
                       low = vec(estimate - reach), high = vec(estimate + reach))
some <- glht(fits$mroz, linfct = diag(8)[c(3, 5, 6, 7), ])   # k618, wc, hc, lwg
out$mroz$single_step <- vec(summary(some, test = adjusted("single-step", abseps = 1e-6, maxpts = 1e6))$test$pvalues)
write(toJSON(out, digits = NA, auto_unbox = TRUE, na = "null"), "linear_inference.json")
