# Generalised linear models by formula, as R fits them: run with Rscript, writes formula_families.json.
library(jsonlite)
options(digits = 17)
data(Insurance, package = "MASS")
data(menarche, package = "MASS")
insurance <- data.frame(District = as.character(Insurance$District), Age = letters[as.integer(Insurance$Age)],
                        Holders = Insurance$Holders, Claims = Insurance$Claims)
sets <- list(insurance = insurance, sprays = InsectSprays[, c("count", "spray")], trees = trees, menarche = menarche,
             quakes = head(quakes[, c("mag", "depth", "stations")], 60))
cases <- list(
  list("insurance", "Claims ~ District + Age + offset(log(Holders))", "poisson", NULL, poisson()),
  list("insurance", "Claims ~ District*Age + offset(log(Holders))", "quasipoisson", NULL, quasipoisson()),
  list("sprays", "count ~ spray", "poisson", NULL, poisson()),
  list("trees", "Volume ~ log(Girth) + log(Height)", "gamma", NULL, Gamma(link = "log")),
  list("trees", "Volume ~ poly(Girth, 2)", "inverse_gaussian", NULL, inverse.gaussian(link = "log")),
  list("quakes", "stations ~ mag + depth", "quasipoisson", NULL, quasipoisson()),
  list("menarche", "cbind(Menarche, Total - Menarche) ~ Age", "binomial", "probit", binomial(link = "probit")),
  list("menarche", "cbind(Menarche, Total - Menarche) ~ Age", "binomial", "cloglog", binomial(link = "cloglog"))
)
control <- glm.control(epsilon = 1e-15, maxit = 200)
answers <- lapply(cases, function(case) {
  fit <- glm(as.formula(case[[2]]), family = case[[5]], data = sets[[case[[1]]]], control = control)
  table <- summary(fit)$coefficients
  list(set = case[[1]], formula = case[[2]], family = case[[3]], link = case[[4]], names = rownames(table),
       estimates = unname(table[, 1]), errors = unname(table[, 2]), deviance = deviance(fit), aic = AIC(fit),
       fitted = unname(head(predict(fit, type = "response"), 5)))
})
write(toJSON(list(made_with = R.version.string, sets = lapply(sets, as.list), cases = answers), digits = NA,
             auto_unbox = TRUE, null = "null", na = "null"), "formula_families.json")
