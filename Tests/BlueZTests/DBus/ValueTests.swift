import DBus
import Testing

@Suite struct ValueTests {
  @Test func `paths know their parents and children`() {
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

  @Test func `a value is read as its own type, through variants, and as no other type`() {
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

  @Test func `a rule is written in the syntax of the bus`() {
    let rule = MatchRule(sender: "org.bluez", pathNamespace: "/org/bluez", member: "M", argument0: "it's")
    #expect(
      "\(rule)" == #"type='signal',sender='org.bluez',member='M',path_namespace='/org/bluez',arg0='it'\''s'"#)
  }
}
