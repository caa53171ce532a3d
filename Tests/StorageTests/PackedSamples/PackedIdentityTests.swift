import Testing

@testable import PackedSamples

@Suite struct PackedIdentityTests {
  private let end: Int64 = 1_700_000_000_123_456

  @Test func `a UUID of the sample's millisecond keeps its hash alone, and comes back`() {
    // 018BCFE5-687B-8923-B7BA-2D0E64834724, a UUID that a gateway has generated.
    let (high, low): (UInt64, UInt64) = (0x018B_CFE5_687B_8923, 0xB7BA_2D0E_6483_4724)
    let identity = PackedIdentity(high: high, low: low, end: end)
    #expect(identity == .hashed(high: 0x923, low: 0x37BA_2D0E_6483_4724))
    #expect(identity.words(end: end)?.high == high)
    #expect(identity.words(end: end)?.low == low)
  }

  @Test(
    arguments: [
      (0x018B_CFE5_687B_4923, 0xB7BA_2D0E_6483_4724), (0x018B_CFE5_687B_8923, 0x77BA_2D0E_6483_4724),
      (0x018B_CFE5_687C_8923, 0xB7BA_2D0E_6483_4724), (0, 0), (.max, .max),
    ] as [(UInt64, UInt64)])
  func `any other is kept whole`(_ high: UInt64, _ low: UInt64) {
    let identity = PackedIdentity(high: high, low: low, end: end)
    #expect(identity == .whole(high: high, low: low))
    #expect(identity.words(end: end)?.high == high)
    #expect(identity.words(end: end)?.low == low)
  }

  @Test func `times before 1970 have identities too`() {
    let end: Int64 = -1_234_567
    let high = (UInt64(bitPattern: end) / 1000) << 16 | 0x8042
    let identity = PackedIdentity(high: high, low: 1 << 63 | 5, end: end)
    #expect(identity == .hashed(high: 0x042, low: 5))
    #expect(identity.words(end: end)?.high == high)
  }

  @Test func `one that follows from the sample is nowhere`() {
    #expect(PackedIdentity.derived(occurrence: 0).words(end: end) == nil)
  }
}
