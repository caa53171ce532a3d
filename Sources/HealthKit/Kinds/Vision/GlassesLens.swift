import Foundation

/// What only a lens of glasses has, checked: lengths that are not negative, and a prism.
struct GlassesLens: Hashable, Sendable {
  let vertexDistance: HKQuantity?
  let prism: HKVisionPrism?
  let farPupillaryDistance: HKQuantity?
  let nearPupillaryDistance: HKQuantity?

  init(
    vertexDistance: HKQuantity?, prism: HKVisionPrism?, farPupillaryDistance: HKQuantity?,
    nearPupillaryDistance: HKQuantity?
  ) throws(HKValidationError) {
    try vertexDistance?.checkNotNegative("the vertex distance of a lens", in: .meter())
    try farPupillaryDistance?.checkNotNegative("a far pupillary distance", in: .meter())
    try nearPupillaryDistance?.checkNotNegative("a near pupillary distance", in: .meter())
    self.vertexDistance = vertexDistance
    self.prism = prism
    self.farPupillaryDistance = farPupillaryDistance
    self.nearPupillaryDistance = nearPupillaryDistance
  }
}
