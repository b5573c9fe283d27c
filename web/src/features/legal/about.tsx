import { useOffered, useWhole } from '@/lib/offer'
import { useConfig } from '@/lib/session'
import { assetNames } from '@/messages/common'
import { legal } from '@/messages/legal'
import { Prose } from './prose'

export function About() {
  const { brand, supportEmail } = useConfig()
  const sold = Object.keys(assetNames).filter(useOffered('assets'))
  return (
    <Prose
      title={legal.aboutTitle(brand)}
      lead={legal.aboutLead}
      parts={legal.about(brand, useWhole() ? legal.coins : sold.map((one) => assetNames[one]).join(', '))}
      further={[{ heading: legal.contactTitle, id: 'contact' }]}
    >
      <section id="contact" className="mt-8">
        <h2 className="text-lg">{legal.contactTitle}</h2>
        <p className="mt-2 text-base">
          {legal.contactText}{' '}
          {supportEmail ? (
            <a
              href={`mailto:${supportEmail}`}
              className="font-medium text-primary underline underline-offset-4"
            >
              {supportEmail}
            </a>
          ) : null}
        </p>
      </section>
    </Prose>
  )
}
