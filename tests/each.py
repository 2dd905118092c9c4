"""Many small cases as one test, all failures in its message: a test of its own costs each case five milliseconds."""

import functools
import inspect

import pytest


def each(names, rows):
    """As pytest.mark.parametrize; a case that writes gets a folder of its own."""
    names, rows = [name.strip() for name in names.split(",")], list(rows)

    def decorate(test):
        @functools.wraps(test)
        def of_all(**fixtures):
            errors, skipped = [], []
            for number, row in enumerate(rows):
                if "tmp_path" in fixtures:
                    (folder := fixtures["tmp_path"] / str(number)).mkdir()
                    given = {**fixtures, "tmp_path": folder}
                else:
                    given = fixtures
                try:
                    test(**dict(zip(names, row if len(names) > 1 else [row], strict=True)), **given)
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:
                    error.add_note(f"case {number}: {row!r:.300}")
                    errors.append(error)
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(rows)} cases", errors)
            if skipped:  # the other cases have run
                pytest.skip(f"{len(skipped)} of {len(rows)} cases: {skipped[0]}")

        signature = inspect.signature(test)
        of_all.__signature__ = signature.replace(
            parameters=[p for name, p in signature.parameters.items() if name not in names]
        )
        return of_all

    return decorate
