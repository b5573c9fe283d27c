import type * as en from '../legal'
import type { Translated } from '../translated'

export const legal: Translated<typeof en.legal> = {
  onThisPage: 'En esta página',
  aboutTitle: (brand) => `Sobre ${brand}`,
  aboutLead: 'Vendemos cripto por dólares estadounidenses y la enviamos a tu propia billetera.',
  coins: 'Bitcoin, Ethereum, USDT y USDC',
  about: (brand, coins) => [
    {
      heading: 'Qué hacemos',
      body: [
        `${brand} vende ${coins} por dólares estadounidenses y los envía a una billetera que solo tú controlas.`,
        'Antes de confirmar ves el precio completo y la dirección de destino. Después puedes seguir cada paso hasta que enviamos tu cripto.',
      ],
    },
    {
      heading: 'Cómo cuidamos las órdenes',
      body: [
        'Si uno de nuestros servidores se detiene, tu orden continúa donde quedó. Nunca cobramos ni enviamos dos veces.',
        'Los datos de la tarjeta se ingresan en la página de Stripe. Nuestro proveedor de verificación maneja los documentos de identidad. Enviamos la cripto solo cuando el pago está confirmado.',
      ],
    },
  ],
  contactTitle: 'Contacto',
  contactText: 'Contacta a soporte si tienes preguntas sobre una orden, tu cuenta o este sitio.',
  termsTitle: 'Términos del servicio',
  termsLead: 'El acuerdo entre tú y nosotros cuando usas este sitio.',
  terms: (brand) => [
    {
      heading: 'Quién puede usar el servicio',
      body: [
        'Debes tener al menos 18 años y actuar por cuenta propia. Puedes tener una sola cuenta.',
        'Toda compra requiere una identidad verificada (KYC). Podemos pedirla de nuevo cuando la ley o una revisión de riesgo lo exijan, y podemos retirar una aprobación.',
      ],
    },
    {
      heading: 'Órdenes y precios',
      body: [
        'Mantenemos un precio durante el tiempo que se muestra a su lado. Cuando confirmas, lo fijamos durante el plazo de tu método de pago. Si tu pago llega tarde o por otro monto, eliges un precio nuevo o un reembolso.',
        'Autorizamos tu tarjeta cuando pagas y la cobramos cuando aceptamos la orden. Si rechazamos la orden, no cobramos nada y liberamos la retención.',
        'La comisión de red está incluida en el precio.',
      ],
    },
    {
      heading: 'Entrega',
      body: [
        'Enviamos la cripto a la dirección que indicas, en la red que se muestra a su lado. Nadie puede deshacer un envío en una blockchain: revisa la dirección antes de confirmar.',
        'Si no podemos entregar después de que pagaste, puedes elegir esperar o un reembolso.',
      ],
    },
    {
      heading: 'Riesgo',
      body: [
        'Los criptoactivos son volátiles y pueden perder todo su valor. No son depósitos ni los asegura ningún programa de gobierno. Nada en este sitio es asesoría de inversión.',
      ],
    },
    {
      heading: 'Qué no está permitido',
      body: [
        'No puedes usar la identidad, la tarjeta o la cuenta de otra persona, comprar para alguien cuya identidad se oculta, usar dinero que provenga de un delito ni enviar a una dirección sancionada.',
      ],
    },
    {
      heading: 'Registros',
      body: [
        `${brand} conserva los registros de las órdenes y de las verificaciones de identidad hasta 7 años por cumplimiento, como explica la Política de privacidad. También explica tus derechos de acceso, rectificación, eliminación, portabilidad, oposición y limitación.`,
      ],
    },
  ],
  privacyLink: 'Tus datos y tus derechos (inicia sesión primero)',
  privacyTitle: 'Política de privacidad',
  privacyLead: 'Qué guardamos sobre ti, por qué, durante cuánto tiempo y cuáles son tus derechos.',
  privacy: (brand) => [
    {
      heading: 'Qué guardamos',
      body: [
        'Guardamos tu nombre, correo electrónico y país; tu confirmación de que tienes al menos 18 años; la versión de los términos que aceptaste; el resultado de tu verificación de identidad (KYC); y tus órdenes, pagos, direcciones de billetera y mensajes para nosotros.',
        'No guardamos números de tarjeta ni imágenes de tus documentos. Nuestro proveedor de verificación conserva esas imágenes.',
      ],
    },
    {
      heading: 'Por qué',
      body: [
        'Los usamos para completar tus órdenes, prevenir el fraude y el lavado de dinero, responderte y cumplir la ley.',
      ],
    },
    {
      heading: 'Quién más los ve',
      body: [
        'Stripe (pagos), Sumsub (verificación de identidad), Kraken y BitGo (ven montos y direcciones, no tu nombre) y las autoridades cuando la ley nos obliga.',
        `${brand} no vende datos personales.`,
      ],
    },
    {
      heading: 'Durante cuánto tiempo',
      body: [
        'Conservamos los datos necesarios para el cumplimiento hasta 7 años después de tu última orden. Borramos el resto cuando ya no lo necesitamos.',
      ],
    },
    {
      heading: 'Tus derechos',
      body: [
        'Acceso: obtén una copia de tus datos. Rectificación: corrige lo que esté mal. Eliminación: borra lo que no estemos obligados a conservar. Portabilidad: obtén tus datos en un formato común. Oposición: deja de recibir publicidad en cualquier momento. Limitación: restringe cómo usamos tus datos mientras se resuelve un reclamo.',
        'Inicia sesión y ve a “Tus datos” para descargar una copia, corregir tu nombre, elegir qué correos recibes, restringir tu cuenta o eliminarla. Para lo demás, abre un ticket. Respondemos en un plazo de 30 días.',
      ],
    },
    {
      heading: 'Cookies',
      body: [
        'Una cookie mantiene tu sesión iniciada y otra recuerda tu idioma. Tu elección de colores claros u oscuros queda en tu navegador. No usamos cookies de publicidad.',
        'Si aceptas iniciar el chat en vivo, su proveedor (Tidio) usa sus propias cookies. También usamos una cookie que recuerda que aceptaste hasta que cierres el navegador.',
      ],
    },
  ],
}
