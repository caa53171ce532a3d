import Foundation
import HealthFormats

/// A small object that an archive may contain many times.
final class Point: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let x: Double
  let y: Double

  init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "x"), coder.containsValue(forKey: "y") else { return nil }
    x = coder.decodeDouble(forKey: "x")
    y = coder.decodeDouble(forKey: "y")
  }

  func encode(with coder: NSCoder) {
    coder.encode(x, forKey: "x")
    coder.encode(y, forKey: "y")
  }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? Point).map { $0.x == x && $0.y == y } ?? false
  }

  override var hash: Int { x.hashValue ^ y.hashValue }
}

/// An object with a value of each kind that keyed archives support.
class Shape: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }
  var name = "Ümlaut"
  var identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
  var origin = Point(1, -2)
  var points = [Point(0, 0), Point(0.5, .infinity)]
  var labels: [String: Any] = ["color": "red", "weight": 3, "origin": Point(9, 9)]
  var tags: Set<String> = ["a", "b"]
  var count = -7
  var isOpen = true
  var bytes = Data([0, 255, 1])
  var inner: Shape?

  override init() {}

  required init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") as String?,
      let identifier = coder.decodeObject(of: NSUUID.self, forKey: "identifier") as UUID?,
      let date = coder.decodeObject(of: NSDate.self, forKey: "date") as Date?,
      let origin = coder.decodeObject(of: Point.self, forKey: "origin"),
      let points = coder.decodeObject(of: [NSArray.self, Point.self], forKey: "points") as? [Point],
      let labels = coder.decodeObject(
        of: [NSDictionary.self, NSString.self, NSNumber.self, Point.self], forKey: "labels")
        as? [String: Any],
      let tags = coder.decodeObject(of: [NSSet.self, NSString.self], forKey: "tags") as? Set<String>,
      let bytes = coder.decodeObject(of: NSData.self, forKey: "bytes") as Data?
    else { return nil }
    self.name = name
    self.identifier = identifier
    self.date = date
    self.origin = origin
    self.points = points
    self.labels = labels
    self.tags = tags
    self.bytes = bytes
    count = coder.decodeInteger(forKey: "count")
    isOpen = coder.decodeBool(forKey: "isOpen")
    inner = coder.decodeObject(of: Shape.self, forKey: "inner")
  }

  func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(identifier as NSUUID, forKey: "identifier")
    coder.encode(date as NSDate, forKey: "date")
    coder.encode(origin, forKey: "origin")
    coder.encode(points as NSArray, forKey: "points")
    coder.encode(labels as NSDictionary, forKey: "labels")
    coder.encode(tags as NSSet, forKey: "tags")
    coder.encode(bytes as NSData, forKey: "bytes")
    coder.encode(count, forKey: "count")
    coder.encode(isOpen, forKey: "isOpen")
    coder.encode(inner, forKey: "inner")
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Shape else { return false }
    return name == other.name && identifier == other.identifier && date == other.date
      && origin == other.origin && points == other.points && tags == other.tags && count == other.count
      && isOpen == other.isOpen && bytes == other.bytes && inner == other.inner
      && labels as NSDictionary == other.labels as NSDictionary
  }

  override var hash: Int { name.hashValue }
}

/// A subclass that may occur in archives in place of a `Shape`.
final class Circle: Shape {}

/// A class that must never be decoded.
final class Stranger: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  nonisolated(unsafe) static var count = 0
  override init() {}
  init?(coder: NSCoder) { Self.count += 1 }
  func encode(with coder: NSCoder) {}
}

/// A class without secure coding.
final class Careless: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { false }
  override init() {}
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) {}
}

/// The sample classes by the names in archives: with the module, and without it as on Apple's systems.
var sampleClasses: [String: ArchivableClass] {
  [
    "HealthKitTests.Point": Point.self, "HealthKitTests.Shape": Shape.self,
    "HealthKitTests.Circle": Circle.self, "HealthKitTests.Stranger": Stranger.self,
    "Point": Point.self, "Shape": Shape.self, "Circle": Circle.self, "Stranger": Stranger.self,
    "Careless": Careless.self,
  ]
}
