"""A simulated controller that behaves as the Linux kernel expects."""
import asyncio
import random

from bumble import controller, hci


class Radio(controller.Controller):
    """Bumble's controller with what the original lacks and Linux needs: a pending connection can be canceled; the accept
    list, the scan type and the filter for duplicates have an effect; reports contain a scan response and each
    advertiser's own RSSI."""

    le_acl_data_packet_length = 251
    acl_data_packet_length = 251
    supported_max_tx_octets = supported_max_rx_octets = 251

    def __init__(self, name, air, **arguments):
        super().__init__(name, link=air, **arguments)
        self._random_address = hci.Address("00:00:00:00:00:00")
        self.rssi = -55
        self.accept_list = set()
        self.active = False
        self.seen = {}

    def be_plain(self):
        """Simulates an adapter of Bluetooth 4.2 to 5.0, without extended advertising and privacy. With these features,
        the kernel would wait for LE Enhanced Connection Complete, which Bumble never sends, and each connection would
        delay the next by 4 s."""
        self.le_features &= ~(hci.LeFeatureMask.LL_PRIVACY | hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
                              | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING)

    # Scanning

    def on_hci_le_set_extended_scan_parameters_command(self, command):
        self.active = bool(command.scan_types and command.scan_types[0])
        return super().on_hci_le_set_extended_scan_parameters_command(command)

    def on_hci_le_set_scan_parameters_command(self, command):
        self.active = bool(command.le_scan_type)
        return super().on_hci_le_set_scan_parameters_command(command)

    def on_hci_le_set_extended_scan_enable_command(self, command):
        self.seen = {}
        return super().on_hci_le_set_extended_scan_enable_command(command)

    def on_hci_le_set_scan_enable_command(self, command):
        self.seen = {}
        return super().on_hci_le_set_scan_enable_command(command)

    def hear(self, address, data, response, rssi):
        """Handles an advertisement that this antenna receives."""
        if not self.le_scan_enable:
            return
        if self.le_scanning_filter_policy & 1 and bytes(address) not in self.accept_list:
            return
        rssi = max(-127, min(20, rssi))
        self.report(address, data, False, rssi)
        if self.active:
            self.report(address, response, True, rssi)

    def report(self, address, data, response, rssi):
        if self.filter_duplicates:
            key = (bytes(address), response)
            if self.seen.get(key) == data:
                return
            self.seen[key] = data
        if self.le_features & hci.LeFeatureMask.LE_EXTENDED_ADVERTISING:
            event = hci.HCI_LE_Extended_Advertising_Report_Event
            self.send_hci_packet(event([event.Report(
                event_type=0x1B if response else 0x13,          # legacy SCAN_RSP, legacy ADV_IND
                address_type=address.address_type, address=address, primary_phy=hci.Phy.LE_1M,
                secondary_phy=0, advertising_sid=0xFF, tx_power=127, rssi=rssi,
                periodic_advertising_interval=0, direct_address_type=0,
                direct_address=hci.Address.ANY, data=data)]))
            return
        event = hci.HCI_LE_Advertising_Report_Event
        kind = event.EventType.SCAN_RSP if response else event.EventType.ADV_IND
        self.send_hci_packet(event([event.Report(
            event_type=kind, address_type=address.address_type, address=address, data=data, rssi=rssi)]))

    def on_advertising_pdu(self, pdu):
        sender, response = None, b""
        for other in self.link.controllers:
            for advertiser in (*other.advertising_sets.values(), other.le_legacy_advertiser):
                if advertiser.enabled and advertiser.address == pdu.advertiser_address:
                    sender, response = other, bytes(advertiser.scan_response_data)
        if sender is None or sender is self:
            return
        self.hear(pdu.advertiser_address, bytes(pdu.data), response, sender.rssi + random.randint(-2, 2))
        pending = self.pending_le_connection
        if pending is None or pdu.advertiser_address in self.le_connections:
            return
        if getattr(pending, "initiator_filter_policy", 0) & 1:
            if bytes(pdu.advertiser_address) not in self.accept_list:
                return
            pending.peer_address = pdu.advertiser_address
        if pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    # The accept list

    def on_hci_le_clear_filter_accept_list_command(self, command):
        self.accept_list.clear()
        return super().on_hci_le_clear_filter_accept_list_command(command)

    def on_hci_le_add_device_to_filter_accept_list_command(self, command):
        self.accept_list.add(bytes(command.address))
        return super().on_hci_le_add_device_to_filter_accept_list_command(command)

    def on_hci_le_remove_device_from_filter_accept_list_command(self, command):
        self.accept_list.discard(bytes(command.address))
        return super().on_hci_le_remove_device_from_filter_accept_list_command(command)

    # Connections

    def on_hci_le_create_connection_cancel_command(self, command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(self.send_hci_packet, hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0,
            role=hci.Role.CENTRAL, peer_address_type=pending.peer_address.address_type,
            peer_address=pending.peer_address, connection_interval=0, peripheral_latency=0,
            supervision_timeout=0, central_clock_accuracy=0))
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_reset_command(self, command):
        self.unplug()
        for advertiser in list(self.advertising_sets.values()):
            advertiser.stop()
        self.advertising_sets.clear()
        self.le_legacy_advertiser.stop()
        return super().on_hci_reset_command(command)

    def unplug(self):
        """Stops scanning and connecting. Connected devices detect it by timeout."""
        self.le_scan_enable = False
        self.pending_le_connection = None
        self.accept_list.clear()
        self.link.lose_far_ends(self)

    def on_hci_read_rssi_command(self, command):
        rssi, connection = -127, self.find_le_connection_by_handle(command.handle)
        there = connection and self.link.other_end(connection)
        if there is not None:
            rssi = there.controller.rssi
        return hci.HCI_Read_RSSI_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, handle=command.handle, rssi=rssi)
