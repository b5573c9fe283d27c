// Package voucher is prepaid crypto vouchers: batches, codes, redemptions, and what people decide about them.
package voucher
