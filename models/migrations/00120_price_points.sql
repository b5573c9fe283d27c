-- How each price went in the last day, for a line beside it: the ask that stood when a
-- step of ten minutes began. A point older than a day goes when the next is added.

-- +goose Up
CREATE TABLE price_points (
  asset text NOT NULL REFERENCES markets,
  at    timestamptz NOT NULL,
  price numeric NOT NULL CHECK (price > 0),
  PRIMARY KEY (asset, at)
);
GRANT SELECT, INSERT, DELETE ON price_points TO tradepost_app;

-- +goose Down
DROP TABLE price_points;
