import CDBus
import DBus
import Testing

@testable import TestSupport

@Suite struct ValueTests {
  @Test func `a signature is valid where libdbus says so`() {
    var random = SeededGenerator(seed: 11)
    let letters = Array("ybnqiuxtdsogvah(){}e1 ")
    var accepted = 0
    for _ in 0..<200_000 {
      let text = String(
        (0..<Int.random(in: 0...7, using: &random)).map { _ in letters.randomElement(using: &random)! })
      let isValid = dbus_signature_validate(text, nil) != 0
      #expect((Signature(text) != nil) == isValid, "\(text)")
      if isValid { accepted += 1 }
    }
    #expect(accepted > 10_000)
    for depth in [31, 32, 33, 34] {
      for text in [
        String(repeating: "a", count: depth) + "i",
        String(repeating: "(", count: depth) + "i" + String(repeating: ")", count: depth),
        String(repeating: "a{s", count: depth) + "i" + String(repeating: "}", count: depth),
        String(repeating: "a(", count: depth) + "i" + String(repeating: ")", count: depth),
      ] {
        #expect((Signature(text) != nil) == (dbus_signature_validate(text, nil) != 0), "\(text)")
      }
    }
    for count in [255, 256] {
      #expect((Signature(String(repeating: "i", count: count)) != nil) == (count == 255))
    }
  }

  @Test func `a path is valid where libdbus says so`() {
    var random = SeededGenerator(seed: 12)
    let letters = Array("//abZ09_-.é \u{1}")
    for _ in 0..<100_000 {
      let text = String(
        (0..<Int.random(in: 0...6, using: &random)).map { _ in letters.randomElement(using: &random)! })
      #expect((ObjectPath(text) != nil) == (dbus_validate_path(text, nil) != 0), "\(text)")
    }
    #expect(ObjectPath(String("/a\u{0}")) == nil)
  }

  @Test func `paths know what is above and below`() {
    let path: ObjectPath = "/org/bluez/hci0"
    #expect(path.parent == "/org/bluez")
    #expect(path.lastComponent == "hci0")
    #expect(("/org" as ObjectPath).parent == .root)
    #expect(ObjectPath.root.parent == nil)
    #expect(ObjectPath.root.lastComponent == "")
    #expect(path.hasPrefix(path) && path.hasPrefix("/org") && path.hasPrefix("/"))
    #expect(!path.hasPrefix("/org/bluez/hci") && !path.hasPrefix("/org/bluez/hci0/dev"))
    #expect(path.appending("dev_1") == "/org/bluez/hci0/dev_1")
    #expect(path.appending("a/b") == nil && path.appending("") == nil && path.appending("é") == nil)
  }

  @Test func `a value is read as what it is, through variants, and as nothing else`() {
    #expect(DBusValue.variant(.variant(.string("x"))).asString == "x")
    #expect(DBusValue.uint64(.max).asInteger == nil)
    #expect(DBusValue.int16(-3).asInteger == -3)
    #expect(DBusValue.boolean(true).asInteger == nil)
    #expect(DBusValue.bytes([1, 2]).asArray == [.byte(1), .byte(2)])
    #expect(DBusValue.strings(["a"]).asBytes == nil)
    #expect(DBusValue.strings(["a"]).asStrings == ["a"])
    let properties: [String: DBusValue] = ["RSSI": .int16(-60), "UUIDs": .strings(["180d"])]
    #expect(DBusValue.properties(properties).asProperties == properties)
    #expect(DBusValue.properties([:]).signature == "a{sv}")
    #expect(DBusValue.dictionary(key: "s", value: "i", [:]).asProperties == nil)
  }

  @Test func `signatures are cut into complete types`() {
    #expect(("sa{sv}(ii)aai" as Signature).completeTypes == ["s", "a{sv}", "(ii)", "aai"])
    #expect(("" as Signature).completeTypes == [])
    #expect(("a{sv}" as Signature).isSingleType && !("ss" as Signature).isSingleType)
  }

  @Test func `a rule is written as the bus reads it`() {
    let rule = MatchRule(sender: "org.bluez", pathNamespace: "/org/bluez", member: "M", argument0: "it's")
    #expect(
      "\(rule)" == #"type='signal',sender='org.bluez',member='M',path_namespace='/org/bluez',arg0='it'\''s'"#)
  }
}
