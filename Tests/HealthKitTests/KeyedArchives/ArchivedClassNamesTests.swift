import Foundation
import HealthFormats
import Testing

@Suite struct ArchivedClassNamesTests {
  private let plain = ArchivedClassNames([
    "HealthKitTests.Point": "Point", "HealthKitTests.Shape": "Shape",
    "HealthKitTests.Circle": "Circle",
  ])

  private func archived(_ object: Any) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  /// Returns the class names in a property list that Foundation can read; skips UIDs.
  private func names(_ archive: Data) throws -> Set<String> {
    let list = try PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any]
    let objects = try #require(list?["$objects"] as? [Any])
    return Set(objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String })
  }

  @Test func `only the module is removed from class names`() throws {
    let shape = Circle()
    shape.inner = Shape()
    shape.name = "HealthKitTests.Point"
    let archive = try plain.applied(to: archived(shape))
    #expect(
      try names(archive) == [
        "Circle", "Shape", "Point", "NSUUID", "NSDate", "NSArray", "NSDictionary", "NSSet",
      ])
    #expect(archive.range(of: Data("HealthKitTests.Circle".utf8)) != nil, "the old name is left unused")
    let result = try SecureUnarchiver.unarchive(
      Shape.self, from: archive, classes: ["Point": Point.self, "Shape": Shape.self, "Circle": Circle.self])
    #expect(result == shape)
  }

  @Test(arguments: [1, 100, 300, 25_000])
  func `references get longer with the number of objects`(_ count: Int) throws {
    let points = (0..<count).map { Point(Double($0), 0) }
    let archive = try plain.applied(to: archived(points as NSArray))
    let result = try SecureUnarchiver.unarchive(
      NSArray.self, containing: [Point.self], from: archive, classes: ["Point": Point.self])
    #expect(result as? [Point] == points)
  }
}
