import { useQuery } from '@tanstack/react-query'
import { Field } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { adminPricing as texts } from '@/messages/admin-pricing'
import { byName, countryName, locationPricingQuery } from './queries'

interface MethodCountriesProps {
  id: string
  /** The method's, for who hears the page. */
  name: string
  countries: readonly string[]
  error: string | undefined
  onChange: (countries: string[]) => void
}

/** The countries in which a method is offered: one more, or one less. */
export function MethodCountries({ id, name, countries, error, onChange }: MethodCountriesProps) {
  const { data } = useQuery(locationPricingQuery)
  const remove = (code: string) => {
    onChange(countries.filter((one) => one !== code))
    document.getElementById(id)?.focus() // the button goes
  }
  const others = byName((data?.countries ?? []).filter((code) => !countries.includes(code)))
  return (
    <div className="mt-3 space-y-3">
      <ul className="flex flex-wrap gap-2">
        {byName(countries).map((code) => (
          <li key={code}>
            <Button variant="outline" size="sm" onClick={() => remove(code)}>
              {texts.removeCountry(countryName(code))}
              <span className="sr-only"> {name}</span>
            </Button>
          </li>
        ))}
      </ul>
      <Field
        id={id}
        label={
          <>
            {texts.addTo}
            <span className="sr-only"> {name}</span>
          </>
        }
        hint={texts.countriesHint}
        error={error}
      >
        {(props) => (
          <Select
            {...props}
            value=""
            onChange={({ target: { value } }) => {
              if (value) onChange([...countries, value].sort())
            }}
          >
            <option value="">{texts.chooseCountry}</option>
            {others.map((code) => (
              <option key={code} value={code}>
                {countryName(code)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  )
}
