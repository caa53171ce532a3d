import Bluetooth
import DBus
import Testing

@testable import BlueZ
@testable import TestSupport

@Suite struct ObjectTreeTests {
  private static let adapter: ObjectPath = "/org/bluez/hci0"
  private static let device: ObjectPath = "/org/bluez/hci0/dev_01"
  private static let service: ObjectPath = "/org/bluez/hci0/dev_01/service0010"
  private static let characteristic: ObjectPath = "/org/bluez/hci0/dev_01/service0010/char0011"
  private static let neighbour: ObjectPath = "/org/bluez/hci01"

  private static let everything: [ObjectPath: [String: Properties]] = [
    adapter: [BlueZInterface.adapter: ["Powered": .boolean(true)], BlueZInterface.gattManager: [:]],
    device: [BlueZInterface.device: ["Connected": .boolean(true)], BlueZInterface.battery: [:]],
    service: [BlueZInterface.gattService: [:]],
    characteristic: [BlueZInterface.gattCharacteristic: ["Notifying": .boolean(false)]],
    neighbour: [BlueZInterface.adapter: [:]],
  ]

  private static func full() -> ObjectTree {
    var tree = ObjectTree()
    _ = tree.apply(.snapshot(everything))
    return tree
  }

  @Test func `the first snapshot adds each interface, parents before children`() {
    var tree = ObjectTree()
    let changes = tree.apply(.snapshot(Self.everything))
    #expect(tree.objects == Self.everything)
    #expect(
      changes == [
        .added(Self.adapter, interface: BlueZInterface.adapter),
        .added(Self.adapter, interface: BlueZInterface.gattManager),
        .added(Self.device, interface: BlueZInterface.battery),
        .added(Self.device, interface: BlueZInterface.device),
        .added(Self.service, interface: BlueZInterface.gattService),
        .added(Self.characteristic, interface: BlueZInterface.gattCharacteristic),
        .added(Self.neighbour, interface: BlueZInterface.adapter),
      ])
  }

  @Test func `a snapshot of the known state gives no changes`() {
    var tree = Self.full()
    #expect(tree.apply(.snapshot(Self.everything)).isEmpty)
  }

  @Test func `a snapshot gives exactly the differences, removals first`() {
    var tree = Self.full()
    var other = Self.everything
    other[Self.characteristic] = nil
    other[Self.device] = [BlueZInterface.device: ["Connected": .boolean(false), "Name": .string("H10")]]
    other["/org/bluez/hci0/dev_02"] = [BlueZInterface.device: [:]]
    #expect(
      tree.apply(.snapshot(other)) == [
        .removed(Self.characteristic, interface: BlueZInterface.gattCharacteristic),
        .removed(Self.device, interface: BlueZInterface.battery),
        .changed(Self.device, interface: BlueZInterface.device, names: ["Connected", "Name"]),
        .added("/org/bluez/hci0/dev_02", interface: BlueZInterface.device),
      ])
    #expect(tree.objects == other)
  }

  @Test func `removing a device removes its attributes, children first`() {
    var tree = Self.full()
    #expect(
      tree.apply(.interfacesRemoved(Self.device, [BlueZInterface.device, BlueZInterface.battery])) == [
        .removed(Self.characteristic, interface: BlueZInterface.gattCharacteristic),
        .removed(Self.service, interface: BlueZInterface.gattService),
        .removed(Self.device, interface: BlueZInterface.device),
        .removed(Self.device, interface: BlueZInterface.battery),
      ])
    #expect(Set(tree.objects.keys) == [Self.adapter, Self.neighbour])
  }

  @Test
  func `removing an adapter removes what is below it, children first, but not a path with the same prefix`() {
    var tree = Self.full()
    let changes = tree.apply(.interfacesRemoved(Self.adapter, [BlueZInterface.adapter]))
    #expect(
      changes == [
        .removed(Self.characteristic, interface: BlueZInterface.gattCharacteristic),
        .removed(Self.service, interface: BlueZInterface.gattService),
        .removed(Self.device, interface: BlueZInterface.battery),
        .removed(Self.device, interface: BlueZInterface.device),
        .removed(Self.adapter, interface: BlueZInterface.adapter),
      ])
    #expect(Set(tree.objects.keys) == [Self.adapter, Self.neighbour])
    #expect(tree.objects[Self.adapter]?.keys.sorted() == [BlueZInterface.gattManager])
  }

  @Test func `an interface without children is removed alone, and the last one removes the object`() {
    var tree = Self.full()
    #expect(
      tree.apply(.interfacesRemoved(Self.device, [BlueZInterface.battery, "org.example.Unknown"])) == [
        .removed(Self.device, interface: BlueZInterface.battery)
      ])
    #expect(tree.objects.count == 5)
    #expect(
      tree.apply(.interfacesRemoved(Self.characteristic, [BlueZInterface.gattCharacteristic])).count == 1)
    #expect(tree.objects[Self.characteristic] == nil)
    #expect(tree.apply(.interfacesRemoved(Self.characteristic, [BlueZInterface.gattCharacteristic])).isEmpty)
  }

  @Test func `properties are merged, invalidated ones are removed, and no unknown object is created`() {
    var tree = Self.full()
    let changes = tree.apply(
      .propertiesChanged(
        Self.device, interface: BlueZInterface.device, changed: ["RSSI": .int16(-60)],
        invalidated: ["Connected"]))
    #expect(
      changes == [.changed(Self.device, interface: BlueZInterface.device, names: ["RSSI", "Connected"])])
    #expect(tree.properties(BlueZInterface.device, at: Self.device) == ["RSSI": .int16(-60)])
    let stranger = tree.apply(
      .propertiesChanged(
        "/org/bluez/hci0/dev_09", interface: BlueZInterface.device, changed: ["RSSI": .int16(-1)],
        invalidated: []))
    #expect(stranger.isEmpty)
    #expect(tree.objects["/org/bluez/hci0/dev_09"] == nil)
  }

  @Test func `interfaces that are signaled again replace the properties, and the differences are reported`() {
    var tree = Self.full()
    let changes = tree.apply(
      .interfacesAdded(Self.device, [BlueZInterface.device: ["Name": .string("a")], "org.x.New": [:]]))
    #expect(
      changes == [
        .changed(Self.device, interface: BlueZInterface.device, names: ["Connected", "Name"]),
        .added(Self.device, interface: "org.x.New"),
      ])
  }

  @Test func `a notification is reported each time, even before its object is known, and is not stored`() {
    var tree = Self.full()
    let event = TreeEvent.propertiesChanged(
      Self.characteristic, interface: BlueZInterface.gattCharacteristic, changed: ["Value": .bytes([0, 72])],
      invalidated: [])
    #expect(tree.apply(event) == [.value(Self.characteristic, [0, 72])])
    #expect(tree.apply(event) == [.value(Self.characteristic, [0, 72])])
    #expect(tree.objects == Self.everything)
    var empty = ObjectTree()
    #expect(empty.apply(event) == [.value(Self.characteristic, [0, 72])])
    #expect(empty.objects.isEmpty)
  }

  @Test func `resolved services imply a link, which bluetoothd does not always report`() {
    var tree = Self.full()
    let device = BlueZInterface.device
    func says(_ properties: Properties) -> Bool? {
      _ = tree.apply(
        .propertiesChanged(Self.device, interface: device, changed: properties, invalidated: []))
      return tree.properties(device, at: Self.device)?["Connected"]?.asBool
    }
    #expect(says(["Connected": .boolean(false)]) == false)
    #expect(says(["ServicesResolved": .boolean(true)]) == true)
    #expect(says(["ServicesResolved": .boolean(false)]) == true)
    #expect(says(["Connected": .boolean(false)]) == false)
    #expect(says(["ServicesResolved": .boolean(true), "Connected": .boolean(false)]) == false)
  }

  @Test func `a bluetoothd that exits removes everything, with a change for each`() {
    var tree = Self.full()
    #expect(tree.apply(.daemonVanished).count == 7)
    #expect(tree.objects.isEmpty)
  }

  @Test func `a characteristic has only the descriptors below it`() {
    let description = Self.characteristic.child("desc0013")
    let uuid = DBusValue.string("00002901-0000-1000-8000-00805f9b34fb")
    var tree = Self.full()
    _ = tree.apply(.interfacesAdded(description, [BlueZInterface.gattDescriptor: ["UUID": uuid]]))
    _ = tree.apply(
      .interfacesAdded(
        Self.service.child("char0015").child("desc0017"), [BlueZInterface.gattDescriptor: ["UUID": uuid]]))
    // A descriptor without a UUID is ignored.
    _ = tree.apply(
      .interfacesAdded(Self.characteristic.child("desc0014"), [BlueZInterface.gattDescriptor: [:]]))
    let descriptors = tree.descriptors(of: Self.characteristic)
    #expect(descriptors.map(\.path) == [description])
    #expect(descriptors.map(\.uuid) == [BluetoothUUID(0x2901)])
    _ = tree.apply(.interfacesRemoved(Self.characteristic, [BlueZInterface.gattCharacteristic]))
    #expect(tree.descriptors(of: Self.characteristic).isEmpty)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `whatever the order, the reported changes lead to the same tree`(seed: UInt64) {
    var random = RandomTreeEvents(seed: seed)
    var tree = ObjectTree()
    var shadow: Set<String> = []
    for _ in 0..<60 {
      let before = tree.objects
      for change in tree.apply(random.next()) {
        switch change {
        case .added(let path, let interface):
          #expect(shadow.insert("\(path) \(interface)").inserted, "seed \(seed): added twice")
        case .removed(let path, let interface):
          #expect(shadow.remove("\(path) \(interface)") != nil, "seed \(seed): removed what was not there")
        case .changed(let path, let interface, _):
          #expect(shadow.contains("\(path) \(interface)"), "seed \(seed)")
          #expect(before[path]?[interface] != nil, "seed \(seed)")
        case .value: break
        }
      }
      #expect(shadow == Self.names(tree.objects), "seed \(seed)")
    }
    let snapshot = random.snapshot()
    _ = tree.apply(.snapshot(snapshot))
    #expect(tree.objects == snapshot, "seed \(seed)")
  }

  private static func names(_ objects: [ObjectPath: [String: Properties]]) -> Set<String> {
    Set(objects.flatMap { path, interfaces in interfaces.keys.map { "\(path) \($0)" } })
  }
}
