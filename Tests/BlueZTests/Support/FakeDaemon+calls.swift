import Bluetooth
import DBus

@testable import BlueZ
@testable import TestSupport

/// Handles the calls that the simulated bluetoothd receives.
extension FakeDaemon {
  mutating func take(_ call: BlueZCall, _ id: CallID) {
    order += 1
    unanswered.insert(id)
    outbox.append((now + call.timeout, order, .timedOut(id)))
    execute(call, id)
  }

  mutating func execute(_ call: BlueZCall, _ id: CallID) {
    guard isRunning else { return refuse(id, "org.freedesktop.DBus.Error.ServiceUnknown") }
    if isStopped { return waitingCalls.append((call, id)) }
    if call == .ping {
      // Ping replies use no random numbers, so that pings do not change anything else in the simulation.
      unanswered.remove(id)
      senderPosition.serial += 1
      return outbox.append((now + .milliseconds(1), order, .answer(id, .done)))
    }
    guard objects[call.message.path] != nil || call.message.path == "/org/bluez" else {
      return refuse(id, "org.freedesktop.DBus.Error.UnknownObject")
    }
    switch call {
    case .connect(let device): connect(device, id)
    case .disconnect(let device): disconnect(device, id)
    case .setTrusted(let device, let isTrusted):
      set(device, BlueZInterface.device, ["Trusted": .boolean(isTrusted)])
      answer(id, .done)
    case .removeDevice(let adapter, let device): removeDevice(device, of: adapter, id)
    case .startDiscovery(let adapter): startDiscovery(adapter, id)
    case .stopDiscovery(let adapter):
      guard discoveries.removeValue(forKey: adapter) != nil else {
        return refuse(id, "Failed", "No discovery started")
      }
      answer(id, .done)
      later(100...2000, .kernelLooks(adapter))
    case .startNotify(let path): startNotify(path, id)
    case .stopNotify(let path):
      if acquired.contains(path) { return stopDaemon() }
      guard subscriptions.remove(path) != nil else {
        return refuse(id, "Failed", "No notify session started")
      }
      forgotten.remove(path)
      if isFrozen(path) { return }
      set(path, BlueZInterface.gattCharacteristic, ["Notifying": .boolean(false)])
      answer(id, .done)
    case .readValue(let path):
      guard device(of: path) != nil else { return refuse(id, "NotConnected", "Not connected") }
      if !isFrozen(path) { answer(id, .value([1])) }
    case .registerApplication(let adapter, _):
      guard !refusesRegistration else { return refuse(id, "Failed", "no") }
      registered.insert(adapter)
      answer(id, .done)
      later(100...2000, .kernelLooks(adapter))
    default: answer(id, .done)
    }
  }

  mutating func isFrozen(_ path: ObjectPath) -> Bool {
    guard let device = device(of: path), let link = links[device], let index = strap(of: device),
      straps[index].isFrozen
    else { return false }
    // bluetoothd ends a link if a request on it is not answered for 30 s.
    later(30_000...30_000, .supervisionTimeout(device, link: link))
    return true
  }

  mutating func connect(_ device: ObjectPath, _ id: CallID) {
    guard let adapter = device.parent, isPowered(adapter) else {
      return refuse(id, "NotReady", "Resource Not Ready")
    }
    leftAlone.remove(device)
    if links[device] != nil { return answer(id, .done) }
    if connecting[device] != nil || foreignAttemptUntil.map({ now < $0 }) == true {
      return refuse(id, "InProgress", "Operation already in progress")
    }
    connecting[device] = id
    guard let index = strap(of: device) else { return }
    if isInAir(straps[index], of: adapter) {
      later(50...3000, .connectEnds(device, id))
    } else {
      later(41_000...41_000, .connectEnds(device, id))
    }
  }

  mutating func disconnect(_ device: ObjectPath, _ id: CallID) {
    if ignoresDisconnect { return answer(id, .done) }
    if !flag(device, BlueZInterface.device, "Trusted") { leftAlone.insert(device) }
    if let pending = connecting.removeValue(forKey: device) {
      cancelledConnects += 1
      refuse(pending, "Failed", "br-connection-canceled")
      return answer(id, .done)
    }
    guard links[device] != nil else { return refuse(id, "NotConnected", "Not Connected") }
    drop(device)
    answer(id, .done)
  }

  mutating func removeDevice(_ device: ObjectPath, of adapter: ObjectPath, _ id: CallID) {
    guard objects[device] != nil, let index = strap(of: device) else {
      return refuse(id, "DoesNotExist", "Does Not Exist")
    }
    if acquired.contains(where: { $0.hasPrefix(device) }) { return stopDaemon() }
    drop(device)
    remembered[adapter]?.remove(straps[index].number)
    bonds[adapter]?.remove(straps[index].number)
    remove(device)
    answer(id, .done)
  }

  mutating func startDiscovery(_ adapter: ObjectPath, _ id: CallID) {
    guard isPowered(adapter) else { return refuse(id, "NotReady", "Resource Not Ready") }
    guard discoveries[adapter] == nil else {
      return refuse(id, "InProgress", "Operation already in progress")
    }
    discoveries[adapter] = now
    if !losesDiscoveryAnswers { answer(id, .done) }
    for strap in straps { later(100...4000, .found(adapter, strap.number)) }
  }

  mutating func startNotify(_ path: ObjectPath, _ id: CallID) {
    guard let device = device(of: path), let index = strap(of: path) else {
      return refuse(id, "NotConnected", "Not connected")
    }
    if acquired.contains(path) { return refuse(id, "NotPermitted", "Notify acquired") }
    if isFrozen(path) { return }
    if subscriptions.contains(path) {
      forgotten.remove(path)
      return answer(id, .done)
    }
    let strap = straps[index]
    let isPaired = flag(device, BlueZInterface.device, "Paired")
    if strap.ignoresSubscriptions {
      // The call gets no reply, but bluetoothd keeps the subscription and enables notifications as soon as it
      // can.
      subscriptions.insert(path)
      return
    }
    if strap.wantsPairing, !isPaired { return refuse(id, "NotPermitted", "Not paired") }
    if strap.refusesPairing, !isPaired {
      // bluetoothd starts pairing by itself, and the strap's refusal ends the link.
      drop(device, kernelLooksAfter: 100...300)
      return refuse(id, "Failed", "Operation failed with ATT error: 0x0e")
    }
    let isThere = !strap.lacksMeasurement && path.lastComponent == "char\(11 + strap.shift)"
    guard isThere else { return refuse(id, "Failed", "Operation failed with ATT error: 0x01") }
    subscriptions.insert(path)
    set(path, BlueZInterface.gattCharacteristic, ["Notifying": .boolean(true)])
    answer(id, .done)
  }
}
