# Numbers for tests/oracles/least_squares_summary.csv. Run: Rscript least_squares_summary.R > least_squares_summary.csv
# Made with R 4.2.2 on the data sets that come with R; HC0 to HC3 written out, so that base R is enough.
show <- function(set, fit, label) {
  s <- summary(fit)
  line <- function(term, quantity, value) cat(sprintf("%s,%s,%s,%.17g\n", label, term, quantity, value))
  interval <- confint(fit, level = 0.9)
  for (term in rownames(s$coefficients)) {
    row <- s$coefficients[term, ]
    line(term, "estimate", row[1]); line(term, "error", row[2]); line(term, "t", row[3]); line(term, "p", row[4])
    line(term, "low", interval[term, 1]); line(term, "high", interval[term, 2])
  }
  line("", "sigma", s$sigma); line("", "residual_df", fit$df.residual)
  line("", "r_squared", s$r.squared); line("", "adjusted_r_squared", s$adj.r.squared)
  line("", "f", s$fstatistic[1])
  line("", "f_p", pf(s$fstatistic[1], s$fstatistic[2], s$fstatistic[3], lower.tail = FALSE))
  line("", "log_likelihood", as.numeric(logLik(fit)))
  line("", "aic", AIC(fit)); line("", "bic", BIC(fit))
  X <- model.matrix(fit)[, !is.na(coef(fit)), drop = FALSE]
  w <- if (is.null(fit$weights)) rep(1, nrow(X)) else fit$weights
  U <- solve(crossprod(X * sqrt(w))); h <- w * rowSums((X %*% U) * X); e <- w * residuals(fit)
  robust <- function(m) sqrt(diag(U %*% crossprod(X * sqrt(m)) %*% U))
  kinds <- list(HC0 = e^2, HC1 = e^2 * nrow(X) / fit$df.residual, HC2 = e^2 / (1 - h), HC3 = e^2 / (1 - h)^2)
  for (kind in names(kinds)) for (term in colnames(X)) line(term, kind, robust(kinds[[kind]])[term])
}
cat("fit,term,quantity,value\n")
show(stackloss, lm(stack.loss ~ ., stackloss), "stackloss")
show(stackloss, lm(stack.loss ~ . - 1, stackloss), "stackloss_origin")
show(stackloss, lm(stack.loss ~ ., stackloss, weights = Air.Flow / 10), "stackloss_weighted")
