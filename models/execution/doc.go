// Package execution buys coin and sends it, for an order or for a redeemed voucher: exchange orders and transfers.
package execution
