import Foundation
import HealthFormats
import Testing

@Suite struct WrittenQuantityTests {
  @Test func `numbers in one unit are compared, for any unit`() {
    for unit in ["count/min", "no unit"] {
      #expect(WrittenQuantity(1, unit).order(to: WrittenQuantity(2, unit)) == .orderedAscending)
      #expect(WrittenQuantity(2, unit).order(to: WrittenQuantity(1, unit)) == .orderedDescending)
      #expect(WrittenQuantity(2, unit).order(to: WrittenQuantity(2, unit)) == .orderedSame)
      #expect(WrittenQuantity(2, unit).order(to: WrittenQuantity(.infinity, unit)) == .orderedAscending)
    }
  }

  @Test func `sizes in two units are compared`() {
    #expect(WrittenQuantity(1500, "g").order(to: WrittenQuantity(1.5, "kg")) == .orderedSame)
    #expect(WrittenQuantity(1500, "g").order(to: WrittenQuantity(2, "kg")) == .orderedAscending)
    #expect(WrittenQuantity(1500, "g").order(to: WrittenQuantity(2, "mg")) == .orderedDescending)
    #expect(WrittenQuantity(0, "degC").order(to: WrittenQuantity(273.15, "K")) == .orderedSame)
  }

  @Test func `inconvertible quantities and NaN have no order`() {
    #expect(WrittenQuantity(1, "g").order(to: WrittenQuantity(1, "m")) == nil)
    #expect(WrittenQuantity(1, "g").order(to: WrittenQuantity(1, "no unit")) == nil)
    #expect(WrittenQuantity(.nan, "g").order(to: WrittenQuantity(1, "g")) == nil)
    #expect(WrittenQuantity(1, "g").order(to: WrittenQuantity(.nan, "kg")) == nil)
  }
}
