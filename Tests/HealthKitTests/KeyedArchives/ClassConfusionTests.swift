import Foundation
import HealthFormats
import Testing

/// Tests archives that contain objects of unexpected classes.
@Suite struct ClassConfusionTests {
  private func reason(
    _ objects: [Value], as type: (some NSObject & NSSecureCoding).Type, containing: [AnyClass] = []
  ) -> ArchiveError.Reason? {
    let archive = ArchiveBuilder.archive(objects)
    let error = #expect(throws: ArchiveError.self) {
      _ = try SecureUnarchiver.unarchive(type, containing: containing, from: archive, classes: sampleClasses)
    }
    return error?.reason
  }

  private func point(class uid: Int) -> Value {
    .dictionary([("$class", .uid(uid)), ("x", .real(1)), ("y", .int(2))])
  }

  private func array(_ uids: [Int], class uid: Int) -> Value {
    .dictionary([("$class", .uid(uid)), ("NS.objects", .array(uids.map(Value.uid)))])
  }

  @Test func `archives made by the builder are valid`() throws {
    let data = ArchiveBuilder.archive([point(class: 2), ArchiveBuilder.classNamed("Point", "NSObject")])
    let result = try SecureUnarchiver.unarchive(Point.self, from: data, classes: sampleClasses)
    #expect(result == Point(1, 2))
  }

  @Test func `an unexpected class is rejected before an instance is created`() {
    let before = Stranger.count
    let objects = [point(class: 2), ArchiveBuilder.classNamed("Stranger", "NSObject")]
    #expect(reason(objects, as: Point.self) == .unexpectedClass("Stranger"))
    let inArray = [array([2], class: 4)] + [point(class: 3), ArchiveBuilder.classNamed("Stranger")]
    #expect(
      reason(inArray + [ArchiveBuilder.classNamed("NSArray")], as: NSArray.self, containing: [Point.self])
        == .unexpectedClass("Stranger"))
    #expect(Stranger.count == before)
  }

  @Test func `a class that is in no table is not looked up`() {
    for name in [
      "Foundation.NSPredicate", "NSPredicate", "HealthKitTests.Unlisted", "NSDecimalNumber", "",
    ] {
      let objects = [point(class: 2), ArchiveBuilder.classNamed(name, "NSObject")]
      #expect(reason(objects, as: NSObjectStandIn.self) == .unknownClass(name))
    }
  }

  @Test func `an unknown class is read as its known ancestor`() throws {
    let described = ArchiveBuilder.classNamed("PrivatePoint", "AlsoPrivate", "Point", "NSObject")
    let data = ArchiveBuilder.archive([point(class: 2), described])
    #expect(
      try SecureUnarchiver.unarchive(Point.self, from: data, classes: sampleClasses) == Point(1, 2))
  }

  @Test func `a class must support secure coding`() {
    let objects = [point(class: 2), ArchiveBuilder.classNamed("Careless")]
    #expect(reason(objects, as: Careless.self) == .insecureClass("Careless"))
  }

  @Test func `a previously decoded object is checked again`() {
    let objects: [Value] = [
      .dictionary([
        ("$class", .uid(2)), ("name", .uid(3)), ("identifier", .uid(3)),
      ]),
      ArchiveBuilder.classNamed("Shape"), .string("text"),
    ]
    #expect(reason(objects, as: Shape.self) == .unexpectedClass("NSString"))
  }

  @Test func `a previously decoded collection is checked again with its elements`() {
    let objects: [Value] = [
      .dictionary([("$class", .uid(2)), ("first", .uid(3)), ("second", .uid(3))]),
      ArchiveBuilder.classNamed("Pair"), array([5], class: 4), ArchiveBuilder.classNamed("NSArray"),
      .string("text"),
    ]
    let archive = ArchiveBuilder.archive(objects)
    #expect(throws: ArchiveError.self) {
      _ = try SecureUnarchiver.unarchive(Pair.self, from: archive, classes: ["Pair": Pair.self])
    }
  }

  @Test func `an object that its class rejects is an error`() {
    let objects: [Value] = [.dictionary([("$class", .uid(2))]), ArchiveBuilder.classNamed("Point")]
    #expect(reason(objects, as: Point.self) == .refused("Point"))
  }

  @Test func `a value of another type is an error, not zero`() {
    for value in [Value.string("1"), .uid(2), .data([1]), .array([])] {
      let objects: [Value] = [
        .dictionary([("$class", .uid(2)), ("x", value), ("y", .int(1))]), ArchiveBuilder.classNamed("Point"),
      ]
      #expect(reason(objects, as: Point.self) == .wrongKind(key: "x"))
    }
  }

  @Test func `an object that contains itself is an error`() {
    let arrays = [array([1], class: 2), ArchiveBuilder.classNamed("NSArray")]
    #expect(reason(arrays, as: NSArray.self) == .cycle)
    let longer = [array([3], class: 2), ArchiveBuilder.classNamed("NSArray"), array([1], class: 2)]
    #expect(reason(longer, as: NSArray.self) == .cycle)
  }

  @Test func `broken references are errors`() {
    let point = ArchiveBuilder.classNamed("Point")
    for uid in [0, 3, 1 << 31 - 1] {
      let objects = [self.point(class: uid), point]
      #expect(reason(objects, as: Point.self) != nil)
    }
    #expect(reason([array([0], class: 2), ArchiveBuilder.classNamed("NSArray")], as: NSArray.self) != nil)
    #expect(reason([.dictionary([("$class", .int(2))]), point], as: Point.self) != nil)
    #expect(reason([.dictionary([])], as: Point.self) != nil)
  }

  @Test func `values that would trap in Foundation are errors`() {
    func value(_ name: String, _ entries: [(String, Value)], _ rest: [Value] = []) -> [Value] {
      [.dictionary([("$class", .uid(2))] + entries), ArchiveBuilder.classNamed(name)] + rest
    }
    let date: [Value] = [
      .dictionary([("$class", .uid(4)), ("NS.time", .real(0))]), ArchiveBuilder.classNamed("NSDate"),
    ]
    #expect(reason(value("NSDate", [("NS.time", .real(.nan))]), as: NSDate.self) != nil)
    let backwards = [("NS.startDate", Value.uid(3)), ("NS.duration", .real(-1))]
    #expect(reason(value("NSDateInterval", backwards, date), as: NSDateInterval.self) != nil)
    #expect(reason(value("NSUUID", [("NS.uuidbytes", .data([1]))]), as: NSUUID.self) != nil)
    for text in ["htt'://a.b/c", "http://[", "%", "a b"] {
      // Foundation would trap if this NSURL were converted to URL.
      let archive = ArchiveBuilder.archive(value("NSURL", [("NS.relative", .string(text))]))
      _ = (try? SecureUnarchiver.unarchive(NSURL.self, from: archive, classes: [:])) as URL?
    }
    for name in ["../../etc/passwd", "", "/etc/localtime", "Nowhere/Atall"] {
      #expect(reason(value("NSTimeZone", [("NS.name", .string(name))]), as: NSTimeZone.self) != nil)
      #expect(reason(value("NSCalendar", [("NS.identifier", .string(name))]), as: NSCalendar.self) != nil)
    }
    let twice = [("NS.keys", Value.array([.uid(3), .uid(3)])), ("NS.objects", .array([.uid(3), .uid(3)]))]
    #expect(
      reason(value("NSDictionary", twice, [.string("k")]), as: NSDictionary.self, containing: [NSString.self])
        != nil)
  }
}

/// A class that decodes one array twice, with different element classes.
private final class Pair: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  init?(coder: NSCoder) {
    guard coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "first") != nil,
      coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "second") != nil
    else { return nil }
  }
  func encode(with coder: NSCoder) {}
}

/// A class for archives of `NSObject`, which cannot be archived itself.
private final class NSObjectStandIn: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  init?(coder: NSCoder) { nil }
  func encode(with coder: NSCoder) {}
}
