# Numbers of tests/oracles/quantile_rq.json: Rscript tests/oracles/quantile_rq.R > tests/oracles/quantile_rq.json
# Brownlee's stack loss data (R's datasets::stackloss), linear quantile regression by quantreg::rq (Barrodale-Roberts).
suppressMessages(library(quantreg))
show <- function(x) paste0("[", paste(sprintf("%.17g", unname(x)), collapse = ", "), "]")
X <- as.matrix(stackloss[, 1:3]); y <- stackloss$stack.loss
w <- rep(c(1, 2, 3), 7)
entries <- c()
add <- function(tau, weighted, coefficients, rho)
  entries <<- c(entries, sprintf('  {"tau": %g, "weighted": %s, "coefficients": %s, "rho": %.17g}', tau,
                                 if (weighted) "true" else "false", show(coefficients), rho))
for (tau in c(0.1, 0.25, 0.5, 0.75, 0.9)) {
  fit <- rq(y ~ X, tau = tau); add(tau, FALSE, coef(fit), fit$rho)
  fit <- rq(y ~ X, tau = tau, weights = w)
  r <- y - cbind(1, X) %*% coef(fit)
  add(tau, TRUE, coef(fit), sum(w * r * (tau - (r < 0))))
}
cat("{\n \"R\": \"", as.character(getRversion()), "\", \"quantreg\": \"", as.character(packageVersion("quantreg")), "\",\n", sep = "")
cat(" \"X\": [", paste(apply(X, 1, show), collapse = ", "), "],\n \"y\": ", show(y), ",\n \"weights\": ", show(w), ",\n", sep = "")
cat(" \"fits\": [\n", paste(entries, collapse = ",\n"), "\n ]\n}\n", sep = "")
