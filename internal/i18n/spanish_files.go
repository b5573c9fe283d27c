package i18n

// headings name the columns of customers' files.
var headings = map[string]string{
	"Order ID":       "ID de la orden",
	"Date":           "Fecha",
	"Crypto":         "Criptomoneda",
	"USD Amount":     "Monto en USD",
	"Payment Method": "Método de pago",
	"Status":         "Estado",
	"Wallet Address": "Dirección de la billetera",
}
