import Foundation
import HealthFormats
import Testing

@testable import TestSupport

/// Tests damaged files, and small files that expand to huge objects.
@Suite struct HostileFileTests {
  private func reason(
    _ archive: Data, limits: ArchiveLimits = ArchiveLimits(), containing: [AnyClass] = [NSString.self]
  ) -> ArchiveError.Reason? {
    #expect(throws: ArchiveError.self) {
      _ = try SecureUnarchiver.unarchive(
        NSArray.self, containing: containing, from: archive, classes: sampleClasses, limits: limits)
    }?.reason
  }

  /// Reads an untrusted archive and uses the object. Any result is correct as long as nothing crashes.
  private func read(_ archive: Data) {
    guard let shape = try? SecureUnarchiver.unarchive(Shape.self, from: archive, classes: sampleClasses)
    else {
      return
    }
    _ = shape.isEqual(shape)
  }

  private var sample: Data {
    get throws {
      let shape = Shape()
      shape.inner = Circle()
      return try NSKeyedArchiver.archivedData(withRootObject: shape, requiringSecureCoding: true)
    }
  }

  @Test func `every truncation is an error`() throws {
    let sample = try sample
    for count in 0..<sample.count {
      #expect(throws: ArchiveError.self) {
        _ = try SecureUnarchiver.unarchive(
          Shape.self, from: sample.prefix(count), classes: sampleClasses)
      }
    }
  }

  @Test func `no flipped bit or extreme byte causes a crash`() throws {
    let sample = try NSKeyedArchiver.archivedData(withRootObject: Shape(), requiringSecureCoding: true)
    for index in stride(from: 0, to: sample.count, by: isLongRun ? 1 : 5) {
      let sound = sample[index]
      for value in (0..<8).map({ sound ^ 1 << $0 }) + [0x00, 0x7F, 0x80, 0xFF] {
        var damaged = sample
        damaged[index] = value
        read(damaged)
      }
    }
  }

  @Test func `a file of another format is reported as one`() throws {
    #expect(reason(Data()) == .notAnArchive)
    #expect(reason(Data("bplist00".utf8)) == .malformed("trailer"))
    #expect(reason(Data("<?xml version=\"1.0\"?><plist/>".utf8)) == .xmlIsNotSupported)
    #expect(reason(ArchiveBuilder.list(.string("text"))) == .notAnArchive)
    #expect(reason(ArchiveBuilder.archive([], archiver: "NRKeyedArchiver")) == .notAnArchive)
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.outputFormat = .xml
    archiver.encode(NSArray(), forKey: "root")
    #expect(reason(archiver.encodedData) == .xmlIsNotSupported)
  }

  @Test func `nested arrays of one array within the file are decoded quickly`() {
    // Thirty arrays, each with a hundred references to the next: 10^60 elements if expanded.
    var objects = (0..<30).map {
      ArchiveBuilder.container(0xA, count: 100, Array(repeating: $0 + 1, count: 100))
    }
    objects.append([0x09])
    #expect(reason(ArchiveBuilder.file(objects, root: 0)) == .notAnArchive)
  }

  @Test func `nested arrays of one array by reference exceed the limit`() {
    var objects: [Value] = (0..<30).map { level in
      .dictionary([
        ("$class", .uid(32)), ("NS.objects", .array(Array(repeating: .uid(level + 2), count: 100))),
      ])
    }
    objects += [.string("end"), ArchiveBuilder.classNamed("NSArray")]
    #expect(reason(ArchiveBuilder.archive(objects)) == .limitExceeded("visits"))
  }

  @Test func `containers that contain themselves within the file are a cycle`() {
    #expect(reason(ArchiveBuilder.file([ArchiveBuilder.container(0xA, count: 1, [0])], root: 0)) == .cycle)
    let two = [ArchiveBuilder.container(0xA, count: 1, [1]), ArchiveBuilder.container(0xA, count: 1, [0])]
    #expect(reason(ArchiveBuilder.file(two, root: 0)) == .cycle)
  }

  @Test func `the nesting of containers is limited`() {
    let chain = (0..<100_000).map { ArchiveBuilder.container(0xA, count: 1, [$0 + 1]) } + [[0x09]]
    #expect(reason(ArchiveBuilder.file(chain, root: 0)) == .limitExceeded("depth"))
    // Each array contains the one before it, so that each array is checked quickly but the last one is
    // 100,000 levels deep.
    let backwards = [[0x09]] + (0..<100_000).map { ArchiveBuilder.container(0xA, count: 1, [$0]) }
    #expect(reason(ArchiveBuilder.file(backwards, root: 0)) == .limitExceeded("depth"))
  }

  @Test func `the nesting of objects is limited`() {
    var objects: [Value] = (0..<1000).map { level in
      .dictionary([("$class", .uid(1002)), ("NS.objects", .array([.uid(level + 2)]))])
    }
    objects += [.string("end"), ArchiveBuilder.classNamed("NSArray")]
    #expect(reason(ArchiveBuilder.archive(objects)) == .limitExceeded("depth"))
  }

  @Test func `counts that exceed the file are errors`() {
    for kind: UInt8 in [0x4, 0x5, 0x6, 0xA, 0xC, 0xD] {
      for count in [
        [0x10, 0xFF], [0x13, 0x7F] + Array(repeating: 0xFF, count: 7), [0x13, 0x80, 0, 0, 0, 0, 0, 0, 0],
      ]
        as [[UInt8]]
      {
        #expect(reason(ArchiveBuilder.file([[kind << 4 | 0xF] + count], root: 0)) == .malformed("length"))
      }
    }
  }

  @Test func `objects must not share bytes`() {
    let long = ArchiveBuilder.container(0xA, count: 1000, Array(repeating: 1, count: 1000))
    let file = ArchiveBuilder.file(
      [long, [0x09]], root: 0, offsets: Array(repeating: 8, count: 1000))
    #expect(reason(file) == .malformed("overlapping objects"))
  }

  @Test func `a trailer with invalid offsets is an error`() {
    let sound = ArchiveBuilder.list(.bool(true))
    for (position, value) in [
      (6, 0), (6, 9), (7, 0), (7, 9), (8, 0x80), (15, 0), (15, 9), (23, 7), (24, 0x7F), (31, 0),
    ] {
      var damaged = sound
      damaged[damaged.count - 32 + position] = UInt8(value)
      guard case .malformed = reason(damaged) else {
        Issue.record("byte \(position) of the trailer was not looked at")
        continue
      }
    }
  }

  @Test func `the caller sets the limits`() {
    let archive = ArchiveBuilder.archive([
      .dictionary([("$class", .uid(3)), ("NS.objects", .array([.uid(2), .uid(2)]))]), .string("x"),
      ArchiveBuilder.classNamed("NSSet"),
    ])
    func limited(_ path: WritableKeyPath<ArchiveLimits, Int>, _ value: Int) -> ArchiveLimits {
      var limits = ArchiveLimits()
      limits[keyPath: path] = value
      return limits
    }
    let types: [AnyClass] = [NSSet.self, NSString.self]
    #expect(
      reason(archive, limits: limited(\.bytes, archive.count - 1), containing: types)
        == .limitExceeded("bytes"))
    #expect(reason(archive, limits: limited(\.objects, 5), containing: types) == .limitExceeded("objects"))
    #expect(reason(archive, limits: limited(\.depth, 2), containing: types) == .limitExceeded("depth"))
    #expect(reason(archive, limits: limited(\.visits, 2), containing: types) == .limitExceeded("visits"))
    #expect(
      reason(archive, limits: limited(\.uniqueElements, 1), containing: types)
        == .limitExceeded("unique elements"))
    #expect(reason(archive, containing: types) == .malformed("equal elements"))
  }

  @Test func `a long string can be referenced only a limited number of times`() {
    let text = String(repeating: "x", count: 100_000)
    let objects: [Value] = (0..<4).map { _ in
      .dictionary([("$class", .uid(6)), ("NS.string", .string(text))])
    }
    let array: Value = .dictionary([("$class", .uid(7)), ("NS.objects", .array((2...5).map(Value.uid)))])
    let classes = [ArchiveBuilder.classNamed("NSMutableString"), ArchiveBuilder.classNamed("NSArray")]
    let archive = ArchiveBuilder.archive([array] + objects + classes)
    var limits = ArchiveLimits()
    limits.bytes = 300_000
    #expect(archive.count < limits.bytes)
    #expect(reason(archive, limits: limits) == .limitExceeded("bytes of strings and data"))
  }
}
