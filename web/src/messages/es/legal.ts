import type * as en from '../legal'
import type { Translated } from '../translated'

export const legal: Translated<typeof en.legal> = {
  onThisPage: 'En esta página',
  aboutTitle: (brand) => `Sobre ${brand}`,
  aboutLead: 'Una plataforma donde cada promesa a un cliente la cumple un sistema que no olvida.',
  about: (brand) => [
    {
      heading: 'Qué hacemos',
      body: [
        `${brand} vende Bitcoin, Ethereum, USDT y USDC por dólares estadounidenses y los envía a una billetera que solo tú controlas.`,
        'Antes de confirmar ves el precio completo, línea por línea, y la dirección completa a la que va. Después ves cada paso hasta que llega la moneda.',
      ],
    },
    {
      heading: 'Cómo cuidamos las órdenes',
      body: [
        'Cada orden es un proceso duradero: si un servidor se detiene a la mitad, continúa donde estaba, y nada se paga ni se envía dos veces.',
        'Los datos de la tarjeta se ingresan en la página de Stripe. Los documentos de identidad van a nuestro proveedor de verificación. Las monedas salen solo cuando el pago es seguro.',
      ],
    },
  ],
  contactTitle: 'Contacto',
  contactText: 'Si tienes preguntas sobre una orden, tu cuenta o estas páginas, escríbenos.',
  termsTitle: 'Términos del servicio',
  termsLead: 'Lo que tú y nosotros acordamos cuando usas este sitio.',
  terms: (brand) => [
    {
      heading: 'Quién puede usar el servicio',
      body: [
        'Debes tener al menos 18 años y actuar por cuenta propia. Cada persona tiene una sola cuenta.',
        'Toda compra requiere una identidad verificada (KYC). Podemos pedirla de nuevo cuando la ley o una revisión de riesgo lo exijan, y podemos retirar una aprobación.',
      ],
    },
    {
      heading: 'Órdenes y precios',
      body: [
        'Un precio se mantiene durante el tiempo que se muestra a su lado. Cuando confirmas, queda fijo durante el plazo de pago del método que elegiste. El dinero que llega más tarde, o por otro monto, se cotiza de nuevo o se devuelve, según elijas.',
        'Tu tarjeta se autoriza cuando pagas y se cobra cuando aceptamos la orden. Podemos rechazar una orden; entonces no se cobra nada y se libera el monto autorizado.',
        'La comisión de red está incluida en el precio.',
      ],
    },
    {
      heading: 'Entrega',
      body: [
        'Las monedas se envían a la dirección que indicaste, en la red que se muestra a su lado. Un envío en una blockchain no se puede deshacer: revisa la dirección antes de confirmar.',
        'Si no podemos entregar después de recibir tu dinero, puedes elegir esperar o que te lo reembolsemos.',
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
        'Usar la identidad, la tarjeta o la cuenta de otra persona; comprar para alguien cuya identidad se oculta; usar dinero que provenga de un delito; enviar a direcciones sancionadas.',
      ],
    },
    {
      heading: 'Registros',
      body: [
        `${brand} conserva los registros de las órdenes y de las verificaciones de identidad hasta 7 años por cumplimiento, como explica la Política de privacidad.`,
      ],
    },
  ],
  privacyLink: 'Tus datos y tus derechos (requiere iniciar sesión)',
  privacyTitle: 'Política de privacidad',
  privacyLead: 'Qué guardamos sobre ti, por qué, durante cuánto tiempo y qué puedes exigir.',
  privacy: (brand) => [
    {
      heading: 'Qué guardamos',
      body: [
        'Tu nombre, correo electrónico y país; que tienes al menos 18 años y aceptaste los términos, con su versión; el resultado de tu verificación de identidad (KYC); tus órdenes, pagos, direcciones de billetera y mensajes para nosotros.',
        'No guardamos números de tarjeta ni las imágenes de tus documentos: esas quedan con nuestro proveedor de verificación.',
      ],
    },
    {
      heading: 'Por qué',
      body: [
        'Para ejecutar tus órdenes, prevenir el fraude y el lavado de dinero, responderte, y porque la ley lo exige.',
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
        'Los datos necesarios para el cumplimiento se conservan hasta 7 años después de tu última orden. El resto se borra cuando ya no se necesita.',
      ],
    },
    {
      heading: 'Tus derechos',
      body: [
        'Acceso: una copia de lo que guardamos sobre ti. Corrección: de lo que esté mal. Eliminación: de lo que no estemos obligados a conservar. Portabilidad: tus datos en un formato común. Exclusión: de la publicidad, en cualquier momento. Restricción: del tratamiento mientras haya una cuestión abierta.',
        'Con la sesión iniciada, lo haces tú mismo en “Tus datos”: descargar una copia, corregir tu nombre, elegir qué correos recibes, restringir tu cuenta o eliminarla. Para lo demás abre un ticket; respondemos en un plazo de 30 días.',
      ],
    },
    {
      heading: 'Cookies',
      body: [
        'Una cookie mantiene tu sesión iniciada y otra recuerda tu idioma. Tu elección de colores claros u oscuros queda en tu navegador. No hay cookies de publicidad.',
        'Donde se ofrece el chat en vivo, su proveedor (Tidio) usa sus propias cookies después de que aceptas iniciarlo, no antes. Otra cookie nuestra recuerda entonces que aceptaste, hasta que cierres el navegador.',
      ],
    },
  ],
}
