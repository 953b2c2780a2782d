"""``separatrix predict MODEL TABLE``."""

import click

from separatrix.cli.options import as_json, command


@command(
    "separatrix predict model.sepx new.csv > answers.csv",
    "separatrix predict model.sepx new.csv --proba --keep id -o answers.csv",
    "cat new.csv | separatrix predict model.sepx - | head",
    short_help="Predict every row of a table, as CSV; large files are streamed.",
)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("table")
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="A file to write to, instead of stdout.")
@click.option("--proba", is_flag=True, help="Also a column with the probability of each class.")
@click.option("--keep", metavar="COLUMN", multiple=True, help="A column of TABLE to repeat in the answer; repeatable.")
@as_json
def predict(model, table, output, proba, keep, as_json):
    """Predict every row of a table with a model file, as CSV, in the order of the table.

    TABLE is a file (CSV, TSV, Parquet, Arrow), or - for stdin. Levels that were never met in training and missing cells
    are fine; a column that the model needs and TABLE has not is an error.
    """
    import sys

    from separatrix.core.atomic_file import atomic_file
    from separatrix.workflow.predict import FilePredictor, predicted_columns, write_predictions

    predictor = FilePredictor(model, proba=proba, keep=keep)
    if as_json:
        from separatrix.cli import output

        columns = predicted_columns(predictor, table)
        rows = len(columns.get("prediction", ()))
        output.write_json("predict", {"model": model, "table": table, "rows": rows, "columns": columns})
    elif output:
        with atomic_file(output, "w", encoding="utf-8", newline="") as file:
            rows = write_predictions(file, predictor, table)
        click.echo(f"{rows:,} rows written to {output}", err=True)
    else:
        write_predictions(sys.stdout, predictor, table)
