# Tests of terms by R's drop1, add1, anova, step, MASS::stepAIC and car::Anova, for test_terms.py.
# Run from this folder:  Rscript terms.R
# Writes terms/<set>.csv (y, weight, columns of the model matrix) and terms.json (what R says of them).
# Made with R 4.2.2, MASS 7.3-58, car 3.1-1, carData 3.0-5.
suppressPackageStartupMessages({library(MASS); library(car); library(jsonlite)})
tight <- glm.control(epsilon = 1e-14, maxit = 100)

prestige <- na.omit(carData::Prestige)
quine$days <- log(quine$Days + 2.5)
cats$female <- as.integer(cats$Sex == "F")
cowles <- carData::Cowles
cowles$yes <- as.integer(cowles$volunteer == "yes")
fits <- list(
  prestige = lm(prestige ~ type * (income + education), prestige),
  prestige_weighted = lm(prestige ~ income * education + women, prestige, weights = census),
  moore = lm(conformity ~ fcategory * partner.status, carData::Moore),
  npk = lm(yield ~ block + N * P * K, npk),
  quine = lm(days ~ Eth * Sex * Lrn + Age, quine),
  cats = glm(female ~ Bwt * Hwt, binomial, cats, control = tight),
  cowles = glm(yes ~ sex * neuroticism * extraversion, binomial, cowles, control = tight)
)
# where add1 starts
starts <- list(prestige = ~ type + income, prestige_weighted = ~ women, moore = ~ 1, npk = ~ block + N, quine = ~ Eth + Age,
               cats = ~ Bwt, cowles = ~ sex + neuroticism)

rows <- function(table, first = NULL) {
  names <- trimws(rownames(table)); names[names == "<none>"] <- "(none)"
  c(list(term = I(names)), lapply(as.list(as.data.frame(table)), I))
}
out <- list()
for (name in names(fits)) {
  fit <- fits[[name]]
  lsq <- class(fit)[1] == "lm"
  X <- model.matrix(fit)
  assign <- attr(X, "assign"); labels <- attr(terms(fit), "term.labels")
  y <- model.response(model.frame(fit)); w <- weights(fit)
  if (is.null(w) || !lsq) w <- rep(1, length(y))
  columns <- X[, -1]
  colnames(columns) <- make.names(colnames(columns), unique = TRUE)
  write.csv(format(data.frame(y = y, weight = w, columns), digits = 17, trim = TRUE), file.path("terms", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  groups <- lapply(seq_along(labels), function(k) I(colnames(columns)[assign[-1] == k]))
  names(groups) <- labels
  test <- if (lsq) "F" else "Chisq"
  shift <- AIC(fit) - extractAIC(fit)[2]                     # R's drop1 and step leave constants out
  n <- length(y)
  shift_bic <- BIC(fit) - extractAIC(fit, k = log(n))[2]
  small <- update(fit, update(starts[[name]], . ~ .))
  here <- list(terms = groups, least_squares = lsq, shift = shift)
  here$drop1 <- rows(drop1(fit, test = test))
  here$add1 <- rows(add1(small, formula(fit), test = test))
  here$start <- I(attr(terms(small), "term.labels"))
  here$anova <- rows(anova(fit, test = test))
  here$type2 <- tryCatch(rows(Anova(fit, type = 2)), error = function(e) NULL)
  main <- update(fit, as.formula(paste(". ~", paste(labels[!grepl(":", labels)], collapse = "+"))))
  here$nested <- rows(anova(small, main, fit, test = test))
  here$main <- I(attr(terms(main), "term.labels"))
  null <- update(fit, . ~ 1)
  walk <- function(result, shift) list(kept = I(attr(terms(result), "term.labels")), path = I(as.character(result$anova$Step)),
                                       aic = I(result$anova$AIC + shift))
  here$backward <- walk(step(fit, trace = 0), shift)
  here$both <- walk(step(main, scope = list(upper = formula(fit)), direction = "both", trace = 0), shift)
  here$forward <- walk(step(null, scope = list(upper = formula(fit)), direction = "both", trace = 0), shift)
  here$bic <- walk(step(fit, k = log(n), trace = 0), shift_bic)
  here$stepAIC <- I(attr(terms(stepAIC(fit, trace = 0)), "term.labels"))
  out[[name]] <- here
}
write(toJSON(out, digits = NA, auto_unbox = TRUE, na = "null", pretty = 1), "terms.json")
