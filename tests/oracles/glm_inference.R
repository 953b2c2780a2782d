# Inference for linear and generalised linear models by R, for test_glm_inference.py.
# Run from this folder:  Rscript glm_inference.R
# Writes glm_inference.json: the data sets, and of each fit what summary, confint (by its definition), anova, drop1, add1,
# step, influence.measures and predict say. Robust covariances are by their formulas: sandwich::vcovHC and vcovCL have
# the same factors.
suppressPackageStartupMessages(library(MASS))
options(digits = 17)
control <- glm.control(epsilon = 1e-15, maxit = 500)

num <- function(v) ifelse(is.na(v), "null", ifelse(is.infinite(v), ifelse(v > 0, '"inf"', '"-inf"'), sprintf("%.17g", v)))
json <- function(v) {
  if (is.list(v)) {
    items <- vapply(v, json, "")
    return(paste0("{", paste(sprintf('"%s": %s', names(v), items), collapse = ", "), "}"))
  }
  if (is.null(v)) return("null")
  text <- if (is.character(v)) ifelse(is.na(v), "null", sprintf('"%s"', gsub('"', '', v))) else if (is.logical(v)) ifelse(v, "true", "false") else num(v)
  if (length(v) == 1 && is.null(attr(v, "vector"))) text else paste0("[", paste(text, collapse = ", "), "]")
}
vec <- function(v) { v <- unname(v); if (is.factor(v)) v <- as.character(v); attr(v, "vector") <- TRUE; v }

# ---------------------------------------------------------------- the data
plain <- function(d) { d[] <- lapply(d, function(v) if (is.factor(v)) as.character(v) else v); as.data.frame(unclass(d)) }
chicks <- subset(ChickWeight, Time %in% c(0, 4, 10, 16, 21))
sets <- list(
  epil = epil[, c("y", "trt", "base", "age", "V4", "subject")],
  snails = transform(snails, alive = N - Deaths),
  birthwt = transform(birthwt, race = paste0("r", race))[, c("low", "age", "lwt", "race", "smoke", "ht", "ui", "bwt")],
  menarche = transform(menarche, Not = Total - Menarche, shift = (Age - 13) / 2),
  chicks = transform(chicks, Chick = paste0("c", Chick), Diet = paste0("d", Diet)),
  swiss = swiss, stackloss = stackloss,
  sprays = InsectSprays, breaks = warpbreaks,
  esoph = transform(esoph, agegp = as.integer(agegp), alcgp = as.integer(alcgp), tobgp = as.integer(tobgp)),
  cpus = transform(cpus[cpus$perf > 20, ], fast = ifelse(cach > 8, "yes", "no"))[, c("perf", "mmax", "cach", "chmin", "fast")],
  insurance = transform(Insurance, District = paste0("d", District), Group = paste0("g", as.integer(Group)), Age = paste0("a", as.integer(Age))),
  quine = quine
)
sets <- lapply(sets, plain)

# set, formula, family, link, cluster, terms of the smaller model
cases <- list(
  list("epil", "y ~ trt * log(base) + age + V4", "poisson", "log", "subject", "log(base) + age"),
  list("epil", "y ~ trt + base + age", "quasipoisson", "log", "subject", "base"),
  list("insurance", "Claims ~ District + Group + Age + offset(log(Holders))", "poisson", "log", "District", "Age"),
  list("quine", "Days ~ Eth * Sex + Age + Lrn", "quasipoisson", "log", "Age", "Eth + Sex"),
  list("sprays", "count ~ spray", "poisson", "sqrt", "", ""),
  list("sprays", "count ~ spray", "quasipoisson", "identity", "", ""),
  list("breaks", "breaks ~ wool * tension", "poisson", "identity", "", "wool + tension"),
  list("breaks", "breaks ~ wool + tension", "Gamma", "inverse", "", "tension"),
  list("snails", "cbind(Deaths, alive) ~ Species + Exposure + Rel.Hum + Temp", "binomial", "logit", "Species", "Exposure"),
  list("snails", "cbind(Deaths, alive) ~ Species * Exposure + offset(Temp / 20)", "binomial", "logit", "", "Exposure"),
  list("snails", "cbind(Deaths, alive) ~ Exposure + Temp + offset(Rel.Hum / 100)", "binomial", "probit", "Species", "Exposure"),
  list("snails", "cbind(Deaths, alive) ~ Species + Exposure", "quasibinomial", "cloglog", "", "Exposure"),
  list("menarche", "cbind(Menarche, Not) ~ Age", "binomial", "cauchit", "", ""),
  list("menarche", "cbind(Menarche, Not) ~ Age + I(Age^2) + offset(shift)", "binomial", "logit", "", "Age"),
  list("birthwt", "low ~ age + lwt + race + smoke + ht + ui", "binomial", "logit", "race", "lwt + smoke"),
  list("birthwt", "low ~ lwt + smoke + offset(age / 50)", "binomial", "logit", "race", "lwt"),
  list("birthwt", "low ~ smoke + ht", "binomial", "log", "race", "smoke"),
  list("birthwt", "bwt ~ lwt + race + smoke + ui", "Gamma", "log", "race", "smoke + ui"),
  list("birthwt", "bwt ~ lwt + race + smoke + ui", "Gamma", "identity", "race", "smoke + ui"),
  list("chicks", "weight ~ Time * Diet", "Gamma", "log", "Chick", "Time"),
  list("chicks", "weight ~ Time + Diet", "gaussian", "identity", "Chick", "Time"),
  list("chicks", "weight ~ Time + Diet", "inverse.gaussian", "log", "Chick", "Time"),
  list("cpus", "perf ~ log(mmax) + cach + fast", "inverse.gaussian", "1/mu^2", "", "cach"),
  list("cpus", "perf ~ log(mmax) + cach + offset(chmin / 1e6)", "Gamma", "inverse", "fast", "cach"),
  list("swiss", "Fertility ~ Agriculture + Education + Catholic", "gaussian", "log", "", "Education"),
  list("swiss", "Fertility ~ Agriculture + Examination + Education + Catholic + Infant.Mortality", "gaussian", "identity", "", "Education"),
  list("stackloss", "stack.loss ~ Air.Flow + Water.Temp + Acid.Conc.", "gaussian", "identity", "", "Air.Flow"),
  list("stackloss", "stack.loss ~ Air.Flow + Water.Temp", "Gamma", "inverse", "", "Air.Flow"),
  list("stackloss", "stack.loss ~ Air.Flow + Water.Temp", "inverse.gaussian", "inverse", "", "Air.Flow"),
  list("esoph", "cbind(ncases, ncontrols) ~ agegp + alcgp + tobgp", "quasibinomial", "logit", "", "agegp")
)

# ---------------------------------------------------------------- what R says of a fit
table_of <- function(a, extra = list()) {
  keep <- intersect(c("Df", "Deviance", "AIC", "Resid. Df", "Resid. Dev", "Sum of Sq", "RSS", "F", "F value", "LRT", "scaled dev.",
                      "Pr(>Chi)", "Pr(>F)"), names(a))
  c(list(terms = vec(trimws(rownames(a)))), lapply(unclass(as.data.frame(a))[keep], vec), extra)
}
profile_end <- function(fit, j, side, level = 0.95) {
  # the end of the interval of coefficient j by its definition: (deviance of the fit with b_j = b) - deviance = phi z^2
  X <- model.matrix(fit); phi <- summary(fit)$dispersion
  y <- fit$y; w <- fit$prior.weights; o <- if (is.null(fit$offset)) rep(0, length(y)) else fit$offset
  limit <- qnorm(1 - (1 - level) / 2)^2 * phi
  b0 <- coef(fit)[j]; V <- vcov(fit); se <- sqrt(V[j, j])
  excess <- function(b) {
    if (ncol(X) == 1) { eta <- o + b * X[, j]; d <- sum(fit$family$dev.resids(y, fit$family$linkinv(eta), w)) } else {
      constrained <- function(from) tryCatch(suppressWarnings(glm.fit(X[, -j, drop = FALSE], y, w, offset = o + b * X[, j],
                       family = fit$family, start = from, control = control, intercept = FALSE)), error = function(e) NULL)
      # where the other coefficients would go if the deviance were a parabola, and glm's own start
      tried <- Filter(Negate(is.null), list(constrained(coef(fit)[-j] + (b - b0) * V[-j, j] / V[j, j]), constrained(NULL)))
      if (!length(tried)) return(NA_real_)
      d <- min(vapply(tried, function(f) f$deviance, 0)) }
    d - fit$deviance - limit
  }
  step <- 1.0
  repeat { v <- excess(b0 + side * step * se); if (is.na(v)) return(NA_real_); if (v > 0 || step > 30) break; step <- step * 1.25 }
  if (v <= 0) return(NA_real_)
  root <- tryCatch(suppressWarnings(uniroot(excess, sort(c(b0, b0 + side * step * se)), tol = 1e-12 * abs(se))), error = function(e) NULL)
  # only an end at which the definition holds
  if (is.null(root) || !isTRUE(abs(excess(root$root)) < 1e-7 * limit)) NA_real_ else root$root
}
robust <- function(fit, cluster) {
  X <- model.matrix(fit); n <- nrow(X); k <- ncol(X)
  if (inherits(fit, "glm")) { w <- fit$weights; u <- fit$residuals * w } else { w <- rep(1, n); u <- residuals(fit) }
  bread <- solve(crossprod(X * sqrt(w)))
  se <- function(meat) vec(sqrt(diag(bread %*% meat %*% bread)))
  meat <- crossprod(X * u)
  out <- list(HC0 = se(meat), HC1 = se(meat * n / (n - k)))
  if (!is.null(cluster)) {
    G <- length(unique(cluster)); sums <- rowsum(X * u, as.character(cluster)); meat <- crossprod(sums) * G / (G - 1)
    out$CL0 <- se(meat); out$CL1 <- se(meat * (n - 1) / (n - k)); out$groups <- G
  }
  out
}
told <- function(case) {
  names(case) <- c("set", "formula", "family", "link", "cluster", "smaller")
  data <- sets[[case$set]]
  formula <- as.formula(case$formula)
  family <- if (case$link == "1/mu^2") inverse.gaussian("1/mu^2") else do.call(case$family, list(link = case$link))
  least <- case$family == "gaussian" && case$link == "identity"
  # glm finds no valid start of its own for some links: the null model is one
  start <- NULL
  run <- function(f) {
    if (least) return(lm(f, data))
    p <- ncol(model.matrix(f, data)); y <- model.response(model.frame(f, data)); m <- if (is.matrix(y)) sum(y[, 1]) / sum(y) else mean(y)
    o <- model.offset(model.frame(f, data)); if (is.null(o)) o <- 0
    fit <- tryCatch(suppressWarnings(glm(f, family, data, control = control)), error = function(e) NULL)
    if (is.null(fit)) fit <- suppressWarnings(glm(f, family, data, control = control, start = c(family$linkfun(m) - max(o), rep(0, p - 1))))
    suppressWarnings(glm(f, family, data, control = control, start = coef(fit)))   # standard errors of the optimum itself
  }
  fit <- run(formula)
  # drop1, add1, step and anova fit again without a start of their own: only where that works
  again <- function(e) tryCatch(suppressWarnings(e), error = function(e) NULL)
  fit$call$formula <- formula; fit$call$family <- family; fit$call$data <- data; fit$call$control <- control; fit$call$start <- NULL
  s <- summary(fit); C <- s$coefficients
  known <- case$family %in% c("poisson", "binomial"); test <- if (known) "Chisq" else "F"
  cluster <- if (case$cluster == "") NULL else data[[case$cluster]]
  rows <- seq_len(min(nrow(data), 30))
  out <- c(case, list(names = vec(rownames(C)), estimate = vec(C[, 1]), error = vec(C[, 2]), statistic = vec(C[, 3]), p = vec(C[, 4]),
              df = df.residual(fit), aic = AIC(fit), bic = BIC(fit), robust = robust(fit, cluster)))
  if (least) {
    out$interval <- list(low = vec(confint(fit)[, 1]), high = vec(confint(fit)[, 2]))
    out <- c(out, list(sigma = s$sigma, r2 = s$r.squared, adjusted = s$adj.r.squared, f = s$fstatistic[["value"]]))
  } else {
    out <- c(out, list(dispersion = s$dispersion, deviance = fit$deviance, null_deviance = fit$null.deviance, loglik = as.numeric(logLik(fit))))
    ends <- sapply(seq_along(coef(fit)), function(j) c(profile_end(fit, j, -1), profile_end(fit, j, 1)))
    out$profile <- list(low = vec(ends[1, ]), high = vec(ends[2, ]))
    link <- predict(fit, data[rows[1:5], ], type = "link", se.fit = TRUE); resp <- predict(fit, data[rows[1:5], ], type = "response", se.fit = TRUE)
    out$predicted <- list(link = vec(link$fit), link_error = vec(link$se.fit), mean = vec(resp$fit), mean_error = vec(resp$se.fit))
  }
  m <- influence.measures(fit)$infmat; q <- ncol(m)
  out$influence <- list(hat = vec(hatvalues(fit)[rows]), rstandard = vec(rstandard(fit)[rows]), rstudent = vec(rstudent(fit)[rows]),
                        cooks = vec(cooks.distance(fit)[rows]), dffits = vec(m[rows, "dffit"]), covratio = vec(m[rows, "cov.r"]))
  if (!least) out$influence$pearson <- vec(rstandard(fit, type = "pearson")[rows])
  d <- again(drop1(fit, test = test)); if (!is.null(d)) out$drop1 <- table_of(d)
  a <- again(anova(fit, test = test)); if (!is.null(a)) out$anova <- table_of(a)
  offsets <- attr(terms(formula), "offset")
  small <- update(formula, as.formula(paste("~", if (case$smaller == "") "1" else case$smaller)))
  if (!is.null(offsets)) small <- update(small, as.formula(paste("~ . +", rownames(attr(terms(formula), "factors"))[offsets])))
  smaller <- again(run(small))
  if (!is.null(smaller)) {
    smaller$call$formula <- small; smaller$call$family <- family; smaller$call$data <- data; smaller$call$control <- control; smaller$call$start <- NULL
    n <- again(anova(smaller, fit, test = test)); if (!is.null(n)) out$nested <- table_of(n)
    b <- again(add1(smaller, formula, test = test)); if (!is.null(b)) out$add1 <- table_of(b)
  }
  if (!grepl("quasi", case$family)) {
    st <- again(step(fit, trace = 0))
    if (!is.null(st)) out$step <- list(kept = vec(attr(terms(st), "term.labels")), aic = vec(st$anova$AIC), steps = vec(as.character(st$anova$Step)))
  }
  out
}
results <- lapply(cases, told)
names(results) <- vapply(seq_along(cases), function(i) paste(i, cases[[i]][[1]], cases[[i]][[3]], cases[[i]][[4]]), "")
data <- lapply(sets, function(d) lapply(d, vec))
writeLines(json(list(version = paste(R.version.string, "MASS", packageVersion("MASS")), sets = data, cases = results)), "glm_inference.json")
