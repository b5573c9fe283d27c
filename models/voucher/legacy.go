package voucher

// RedemptionLegacy is a redemption's legacy state.
var RedemptionLegacy = map[RedemptionStatus]string{RedemptionAccepted: "pending", RedemptionFulfilling: "pending", RedemptionFilled: "pending",
	RedemptionSent: "completed", RedemptionRestored: "cancelled"}

// Legacy is the redemption's legacy state.
func (r *Redemption) Legacy() string { return RedemptionLegacy[r.Status] }
