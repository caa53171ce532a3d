import Bluetooth
import DBus

@testable import BlueZ
@testable import TestSupport

/// The simulated radio: the kernel, links, and values of straps.
extension FakeDaemon {
  func isInAir(_ strap: FakeStrap, of adapter: ObjectPath) -> Bool {
    // The strap is in range and has no other link, because it accepts only one.
    !strap.isAway && !strap.outOfReach.contains(adapter)
      && !links.keys.contains { $0 == strap.path(by: $0.parent ?? .root) }
  }

  /// Whether the strap has lost its bond with this adapter, so that the link cannot be encrypted.
  private func isRefused(_ strap: FakeStrap, by adapter: ObjectPath) -> Bool {
    strap.hasLostBond && bonds[adapter]?.contains(strap.number) == true
  }

  /// Makes a link that cannot be encrypted and ends after a moment.
  private mutating func endUnencrypted(_ device: ObjectPath) {
    set(device, BlueZInterface.device, ["Connected": .boolean(true)])
    set(device, BlueZInterface.device, ["Connected": .boolean(false)])
  }

  mutating func perform(_ item: Work) {
    if isStopped, !item.isOfStrap { return later(100...100, item) }
    switch item {
    case .connectEnds(let device, let id):
      guard connecting[device] == id, let index = strap(of: device) else { return }
      connecting[device] = nil
      let isLinked = links[device] != nil
      let adapter = device.parent ?? .root
      let isInAir = isInAir(straps[index], of: adapter)
      if straps[index].takesNoLink {
        refuse(id, "Failed", "le-connection-abort-by-local")
      } else if isInAir, !isRefused(straps[index], by: adapter) {
        linkUp(device)
        answer(id, .done)
      } else if isLinked {
        answer(id, .done)
      } else {
        if isInAir {
          refusedConnects += 1
          endUnencrypted(device)
        }
        refuse(id, "Failed", "le-connection-abort-by-local")
      }
    case .kernelLooks(let adapter):
      guard isRunning, isPowered(adapter), registered.contains(adapter), discoveries[adapter] == nil else {
        return
      }
      for strap in straps where isInAir(strap, of: adapter) && !strap.takesNoLink {
        let device = strap.path(by: adapter)
        let isWanted = flag(device, BlueZInterface.device, "Trusted") && !leftAlone.contains(device)
        guard isWanted, connecting[device] == nil else { continue }
        if isRefused(strap, by: adapter) {
          // The kernel tries to connect again several times a second.
          endUnencrypted(device)
          later(150...300, .kernelLooks(adapter))
        } else {
          linkUp(device)
        }
      }
    case .found(let adapter, let number):
      let strap = straps[number - 1]
      guard discoveries[adapter] != nil, isInAir(strap, of: adapter) else { return }
      if objects[strap.path(by: adapter)] == nil {
        addDevice(strap, by: adapter)
      } else {
        set(strap.path(by: adapter), BlueZInterface.device, ["RSSI": .int16(-55)])
      }
    case .resolved(let device, let link):
      guard links[device] == link, let index = strap(of: device), !straps[index].isFrozen else { return }
      let remembers = objects.keys.contains { $0 != device && $0.hasPrefix(device) }
      if !remembers {
        for (path, interfaces) in straps[index].services(below: device) { add(path, interfaces) }
        add(device, [BlueZInterface.battery: ["Percentage": .byte(80)]])
      }
      set(device, BlueZInterface.device, ["ServicesResolved": .boolean(true)])
    case .beat(let device, let link):
      beat(device, link)
    case .supervisionTimeout(let device, let link):
      guard links[device] == link, let index = strap(of: device) else { return }
      if straps[index].isAway || straps[index].isFrozen { drop(device) }
    case .strapCloses(let device, let link):
      if links[device] == link { drop(device, kernelLooksAfter: 100...300) }
    }
  }

  mutating func linkUp(_ device: ObjectPath) {
    guard objects[device] != nil, links[device] == nil else { return }
    lastLink += 1
    links[device] = lastLink
    if let number = strap(of: device).map({ straps[$0].number }), let adapter = device.parent {
      remembered[adapter, default: []].insert(number)
    }
    set(device, BlueZInterface.device, ["Connected": .boolean(true)])
    // bluetoothd enables a remembered subscription before it reports the services as resolved.
    later(50...1500, .resolved(device, link: lastLink))
    later(20...1200, .beat(device, link: lastLink))
    if let index = strap(of: device), let closing = straps[index].closesAfter {
      later(closing, .strapCloses(device, link: lastLink))
    }
  }

  mutating func drop(_ device: ObjectPath, kernelLooksAfter pause: ClosedRange<Int> = 100...5000) {
    guard links.removeValue(forKey: device) != nil else { return }
    if forgetsSubscriptions, !flag(device, BlueZInterface.device, "ServicesResolved") {
      forgotten.formUnion(subscriptions.filter { $0.hasPrefix(device) })
    }
    set(device, BlueZInterface.device, ["ServicesResolved": .boolean(false)])
    set(device, BlueZInterface.device, ["Connected": .boolean(false)])
    if forgetsServices {
      for path in objects.keys.filter({ $0 != device && $0.hasPrefix(device) }).sorted(by: {
        $0.rawValue > $1.rawValue
      }) where objects[path] != nil { remove(path) }
    }
    if let adapter = device.parent { later(pause, .kernelLooks(adapter)) }
  }

  mutating func beat(_ device: ObjectPath, _ link: Int) {
    guard links[device] == link, let index = strap(of: device) else { return }
    later(straps[index].pace, .beat(device, link: link))
    let strap = straps[index]
    let path = device.child("service\(10 + strap.shift)").child("char\(11 + strap.shift)")
    guard !strap.isMute, !strap.isFrozen, !strap.isAway, isRunning, subscriptions.contains(path),
      !forgotten.contains(path)
    else {
      return
    }
    measure(index, at: path)
  }

  mutating func measure(_ index: Int, at path: ObjectPath) {
    let number = straps[index].sent
    straps[index].sent += 1
    straps[index].sentAt.append(now)
    let value: Properties = ["Value": .bytes([0x10, UInt8(number >> 8), UInt8(number & 0xFF), 0x03])]
    guard !isStopped else {
      if waitingValues.count(where: { $0.path == path }) < queueDepth { waitingValues.append((path, value)) }
      return
    }
    for _ in 0..<copies { set(path, BlueZInterface.gattCharacteristic, value) }
  }
}
