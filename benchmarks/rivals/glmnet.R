# Reads the data once, then answers each line "tolerance kind" with "seconds extra_mb"; coefficients go to files.
suppressMessages({library(Matrix); library(glmnet)})
given <- commandArgs(trailingOnly = TRUE)
folder <- given[1]; out <- given[2]; rows <- as.integer(given[3]); columns <- as.integer(given[4])
is_sparse <- given[5] == "1"; intercept <- given[6] == "1"

npy <- function(name) {  # version 1 of the format: magic, header length, header, data in the order written
  con <- file(file.path(folder, name), "rb"); on.exit(close(con))
  readBin(con, "raw", 8)
  length <- readBin(con, "integer", 1, size = 2, signed = FALSE, endian = "little")
  header <- rawToChar(readBin(con, "raw", length))
  shape <- regmatches(header, regexpr("\\([0-9, ]*\\)", header))
  count <- prod(as.numeric(strsplit(gsub("[() ]", "", shape), ",")[[1]]))
  if (grepl("'<f8'", header)) readBin(con, "double", count, endian = "little")
  else readBin(con, "integer", count, size = if (grepl("'<i8'", header)) 8 else 4, endian = "little")
}
y <- npy("y.npy")
lambda <- npy("lambda.npy")
if (is_sparse) {
  X <- new("dgCMatrix", i = npy("X_indices.npy"), p = npy("X_indptr.npy"), x = npy("X_data.npy"),
           Dim = c(rows, columns))
} else {
  X <- npy("X.npy"); dim(X) <- c(rows, columns)
}

status <- function(field) {  # MB, or NA where there is no /proc
  lines <- tryCatch(readLines("/proc/self/status"), error = function(e) character(0), warning = function(w) character(0))
  line <- grep(paste0("^", field), lines, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) * 1024 / 1e6 else NA
}
restart_peak <- function() try(cat("5", file = "/proc/self/clear_refs"), silent = TRUE)

control <- file("stdin", "r")
cat("ready\n")
while (length(line <- readLines(control, n = 1)) > 0) {
  words <- strsplit(line, " ")[[1]]
  invisible(gc()); restart_peak(); before <- status("VmRSS")
  kind <- if (words[2] == "binomial") list(family = "binomial")
          else list(family = "gaussian", type.gaussian = words[2])
  common <- list(X, y, lambda = lambda, standardize = FALSE, intercept = intercept,
                 thresh = as.numeric(words[1]), maxit = 1e7)
  seconds <- system.time(model <- do.call(glmnet, c(common, kind)))[["elapsed"]]
  extra <- status("VmHWM") - before
  writeBin(as.double(model$a0), file.path(out, "intercepts.bin"))
  writeBin(model$beta@i, file.path(out, "indices.bin"))
  writeBin(model$beta@p, file.path(out, "indptr.bin"))
  writeBin(model$beta@x, file.path(out, "data.bin"))
  cat(seconds, extra, "\n")
}
