-- One price per coin and UTC day: the last ask that was read on that day. Taxes and reports need the price of a day
-- long after it, so no row is ever deleted, and a row of a day that has ended never changes. Prices are kept from this
-- migration on; a day on which no price was read has no row.

-- +goose Up
CREATE TABLE daily_prices (
  asset   text NOT NULL REFERENCES markets,
  day     date NOT NULL,        -- in UTC
  ask     numeric NOT NULL CHECK (ask > 0), -- US dollars for one coin
  source  text NOT NULL,        -- the provider that stated it
  pair    text NOT NULL,        -- its name of the market
  read_at timestamptz NOT NULL, -- of the last reading of that day
  PRIMARY KEY (asset, day),
  CHECK (day = CAST(read_at AT TIME ZONE 'UTC' AS date))
);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON daily_prices
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- +goose StatementBegin
CREATE FUNCTION only_todays_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.asset <> OLD.asset OR NEW.day <> OLD.day OR NEW.read_at < OLD.read_at THEN
    RAISE EXCEPTION 'no earlier reading or other day replaces the price of % on %', OLD.asset, OLD.day;
  END IF;
  IF OLD.day < CAST(clock_now() AT TIME ZONE 'UTC' AS date) THEN
    RAISE EXCEPTION 'the price of % on % does not change: the day has ended', OLD.asset, OLD.day;
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER only_todays_price BEFORE UPDATE ON daily_prices FOR EACH ROW EXECUTE FUNCTION only_todays_price();

-- +goose Down
DROP TABLE daily_prices;
DROP FUNCTION only_todays_price;
