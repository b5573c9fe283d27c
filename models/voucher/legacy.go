package voucher

// RedemptionLegacy is where a redemption stands, in the legacy words.
var RedemptionLegacy = map[RedemptionStatus]string{RedemptionAccepted: "pending", RedemptionFulfilling: "pending", RedemptionFilled: "pending",
	RedemptionSent: "completed", RedemptionRestored: "cancelled"}

// Legacy is where the redemption stands, in the legacy words.
func (r *Redemption) Legacy() string { return RedemptionLegacy[r.Status] }
