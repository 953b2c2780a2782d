# Numbers of tests/oracles/local_likelihood.json, for tests/estimators/local/test_local_oracles.py.
# Run from this folder:  Rscript local_likelihood.R > local_likelihood.json
# nnet::multinom with kernel weights at three points; locfit's local regression and local logistic regression.
suppressMessages({library(nnet); library(locfit)})
show <- function(x) paste0("[", paste(sprintf("%.17g", as.vector(x)), collapse = ", "), "]")
i <- 1:120
x1 <- sin(1.7 * i) * 2; x2 <- cos(2.9 * i * i)
noise <- sin(5.3 * i * i)
y <- sin(1.5 * x1) + 0.5 * x2 + 0.4 * noise
two <- as.numeric(y + 0.8 * cos(7.1 * i * i) > 0)
three <- as.numeric(y + 0.9 * cos(7.1 * i * i) > -0.5) + as.numeric(y + 0.9 * cos(3.3 * i * i) > 0.6)
s <- 1 + i %% 3
out <- c()

queries <- list(c(0.3, -0.2), c(-1.2, 0.5), c(1.5, 0.9))
entries <- c()
for (x0 in queries) {
  w <- s * exp(-0.5 * ((x1 - x0[1])^2 + (x2 - x0[2])^2) / 0.8^2)
  z1 <- x1 - x0[1]; z2 <- x2 - x0[2]
  fit <- multinom(factor(three) ~ z1 + z2, weights = w, trace = FALSE, reltol = 1e-16, abstol = 1e-16, maxit = 10000)
  entries <- c(entries, sprintf('  {"x0": %s, "coef": %s}', show(x0), show(t(coef(fit)))))
}
out <- c(out, paste0(' "multinom": [\n', paste(entries, collapse = ",\n"), '\n ]'))

entries <- c()
# locfit's Gaussian kernel is exp(-(2.5 u)^2 / 2)
for (kernel in c("tcub", "epan", "gauss")) for (deg in 0:2) {
  fit <- locfit(y ~ lp(x1, h = 1.1, deg = deg), kern = kernel, ev = dat())
  at <- predict(fit, what = "coef", se.fit = TRUE)
  entries <- c(entries, sprintf('  {"kernel": "%s", "degree": %d, "fit": %s, "se": %s, "df1": %.17g, "df2": %.17g}',
    kernel, deg, show(at$fit), show(at$se.fit), fit$dp["df1"], fit$dp["df2"]))
}
out <- c(out, paste0(' "gaussian": [\n', paste(entries, collapse = ",\n"), '\n ]'))

entries <- c()
for (deg in 0:2) {
  fit <- locfit(two ~ lp(x1, nn = 0.6, deg = deg), kern = "tcub", family = "binomial", ev = dat())
  at <- predict(fit, what = "coef", se.fit = TRUE)
  entries <- c(entries, sprintf('  {"degree": %d, "fit": %s, "se": %s}', deg, show(at$fit), show(at$se.fit)))
}
out <- c(out, paste0(' "binomial": [\n', paste(entries, collapse = ",\n"), '\n ]'))
cat('{\n "R": "', as.character(getRversion()), '", "nnet": "', as.character(packageVersion("nnet")), '", "locfit": "',
    as.character(packageVersion("locfit")), '",\n', sep = "")
for (name in c("x1", "x2", "y", "two", "three", "s")) cat(' "', name, '": ', show(get(name)), ",\n", sep = "")
cat(paste(out, collapse = ",\n"), "\n}\n", sep = "")
