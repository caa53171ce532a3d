import Foundation

/// What the lenses of glasses and contacts have in common, checked.
struct LensPowers: Hashable, Sendable {
  let sphere: HKQuantity
  let cylinder: HKQuantity?
  let axis: HKQuantity?
  let addPower: HKQuantity?

  init(
    sphere: HKQuantity, cylinder: HKQuantity?, axis: HKQuantity?, addPower: HKQuantity?
  ) throws(HKValidationError) {
    try sphere.checkFinite("the sphere of a lens", in: .diopter())
    try cylinder?.checkFinite("the cylinder of a lens", in: .diopter())
    try axis?.checkFinite("the axis of a lens", in: .degreeAngle())
    try addPower?.checkFinite("the add power of a lens", in: .diopter())
    self.sphere = sphere
    self.cylinder = cylinder
    self.axis = axis
    self.addPower = addPower
  }
}

// MARK: - Archives

extension LensPowers {
  func encode(with coder: NSCoder) {
    coder.encode(sphere, forKey: ArchiveKey.sphere)
    coder.encode(cylinder, forKey: ArchiveKey.cylinder)
    coder.encode(axis, forKey: ArchiveKey.axis)
    coder.encode(addPower, forKey: ArchiveKey.addPower)
  }

  init?(coder: NSCoder) {
    guard let sphere = coder.object(HKQuantity.self, forKey: ArchiveKey.sphere),
      let powers = try? LensPowers(
        sphere: sphere, cylinder: coder.object(HKQuantity.self, forKey: ArchiveKey.cylinder),
        axis: coder.object(HKQuantity.self, forKey: ArchiveKey.axis),
        addPower: coder.object(HKQuantity.self, forKey: ArchiveKey.addPower))
    else { return nil }
    self = powers
  }

  private enum ArchiveKey {
    static let sphere = "sphere"
    static let cylinder = "cylinder"
    static let axis = "axis"
    static let addPower = "addPower"
  }
}
